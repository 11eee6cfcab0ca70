// SPDX-License-Identifier: Apache-2.0

import Glibc
package import KeychainModel

/// The lock under which every commit and every checkpoint happens, one process at a time.
///
/// SQLite 3.7.0 to 3.51.2 can corrupt a database when a checkpoint and a commit that resets the log run at once; under
/// this lock they never do. The file also keeps the generation of the last acknowledged write, so that a log that was
/// cut short behind our back is noticed. That note is not synchronized: it may be too low, never too high.
package struct WriterLock: ~Copyable, Sendable {
    private let lock: FileLock
    package let isReadOnly: Bool
    /// The file as it was when it was opened: a lock on another one keeps nobody out.
    ///
    /// There is none where it is missing and cannot be made.
    package let identity: FileIdentity?

    /// How many milliseconds a writer waits while no other writer makes progress; tests set a shorter time.
    @TaskLocal package static var deadline: Int64 = 5_000

    package init(in directory: borrowing PrivateDirectory, creating: Bool) throws(StatusError) {
        let opened = try Self.open(in: directory, creating: creating)
        var identity: FileIdentity?
        if opened.number >= 0 { identity = try FileIdentity(of: opened) }
        isReadOnly = opened.number < 0 || fcntl(opened.number, F_GETFL) & O_ACCMODE == O_RDONLY
        self.identity = identity
        lock = FileLock(opened, .writerLock)
    }

    /// Takes the lock of a directory in which a store is made or deleted: its file may go while this waits for it.
    ///
    /// - Throws: as ``acquire()``.
    package static func taken(in directory: borrowing PrivateDirectory) throws(StatusError) -> Self {
        for _ in 0..<attempts {
            let lock = try Self(in: directory, creating: true)
            try lock.acquire()
            guard let identity = lock.identity,
                !directory.leads(to: StoreLocation.writerLockName, being: identity)
            else { return lock }
        }
        // The directory itself was moved away.
        throw StatusError(.notAvailable, .databaseReplaced)
    }

    private static let attempts = 64

    private static func open(
        in directory: borrowing PrivateDirectory,
        creating: Bool
    ) throws(StatusError) -> FileDescriptor {
        let name = StoreLocation.writerLockName
        let exists = try directory.inspect(name) != nil
        do throws(StatusError) {
            return try directory.open(name, flags: O_RDWR | (creating ? O_CREAT : 0))
        } catch {
            guard error.status == .readOnly || error.status == .writePermission else { throw error }
            return exists ? try directory.open(name, flags: O_RDONLY) : FileDescriptor(-1)
        }
    }

    /// Takes the lock, waiting in the queue.
    ///
    /// - Throws: `notAvailable` with `writerBusy` when no write was acknowledged for as long as ``deadline``.
    package borrowing func acquire() throws(StatusError) {
        guard !isReadOnly else { throw StatusError(.readOnly, .readOnlyStore) }
        try lock.acquire(deadline: Self.deadline) { file in Self.acknowledgedGeneration(in: file) }
    }

    /// Takes the lock if it is free and the queue is empty; returns whether it did.
    package borrowing func acquireIfFree() -> Bool {
        !isReadOnly && lock.acquireIfFree()
    }

    package borrowing func release() { lock.release() }

    /// The generation of the last acknowledged write; 0 where none is noted or the note is damaged.
    ///
    /// The lock's file is not made for this: a store that is refused is left as it is.
    package static func acknowledgedGeneration(
        in directory: borrowing PrivateDirectory
    ) throws(StatusError) -> UInt64 {
        let name = StoreLocation.writerLockName
        guard try directory.inspect(name) != nil else { return 0 }
        return acknowledgedGeneration(in: try directory.open(name, flags: O_RDONLY))
    }

    /// The same, of the lock that is held.
    package var acknowledgedGeneration: UInt64 { Self.acknowledgedGeneration(in: lock.file) }

    private static func acknowledgedGeneration(in file: borrowing FileDescriptor) -> UInt64 {
        var note: (UInt64, UInt64) = (0, 0)
        let count = unsafe pread(file.number, &note, 16, 0)
        let (generation, complement) = (UInt64(littleEndian: note.0), UInt64(littleEndian: note.1))
        return count == 16 && complement == ~generation ? generation : 0
    }

    /// Forgets every write, durably.
    package borrowing func forget() throws(StatusError) {
        guard ftruncate(lock.file.number, 0) == 0, fsync(lock.file.number) == 0 else {
            throw systemError(StoreLocation.writerLockName)
        }
    }

    /// Notes, durably and beforehand, that the next write must not leave what it overwrites in the log or in the database.
    package borrowing func noteScrubbing() throws(StatusError) {
        guard setScrubbing(1), fdatasync(lock.file.number) == 0 else {
            throw systemError(StoreLocation.writerLockName)
        }
    }

    /// Notes that nothing is left of what was overwritten.
    package borrowing func noteScrubbed() { _ = setScrubbing(0) }

    /// Whether some write has still to be followed by an emptied log.
    package var owesScrubbing: Bool {
        var note: UInt8 = 0
        return unsafe pread(lock.file.number, &note, 1, Self.scrubbingOffset) == 1 && note == 1
    }

    private borrowing func setScrubbing(_ value: UInt8) -> Bool {
        var note = value
        return unsafe pwrite(lock.file.number, &note, 1, Self.scrubbingOffset) == 1
    }

    /// Behind the note of the generation.
    private static let scrubbingOffset: off_t = 16

    /// Notes the generation of a write that is durable.
    package borrowing func noteAcknowledged(_ generation: UInt64) {
        var note: (UInt64, UInt64) = (generation.littleEndian, (~generation).littleEndian)
        // Failure costs only the notice of a log that is damaged later.
        _ = unsafe pwrite(lock.file.number, &note, 16, 0)
    }
}

/// The lock under which passcodes are tried, one process at a time, so that none is charged for another's guess.
///
/// It is on the device key's file, which never changes, and ends with this value.
package struct GuessLock: ~Copyable, Sendable {
    private let lock: FileLock

    package init(in directory: borrowing PrivateDirectory) throws(StatusError) {
        lock = try FileLock(directory.open(StoreLocation.deviceKeyName, flags: O_RDONLY), .deviceKey)
    }

    /// Takes the lock.
    ///
    /// - Throws: `notAvailable` with `writerBusy` when others do not let go for as long as a writer would wait.
    package borrowing func acquire() throws(StatusError) { try lock.acquire(deadline: WriterLock.deadline) }

    package borrowing func release() { lock.release() }
}
