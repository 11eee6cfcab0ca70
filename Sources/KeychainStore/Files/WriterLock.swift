// SPDX-License-Identifier: Apache-2.0

import Glibc
package import KeychainModel

/// The lock under which every commit and every checkpoint happens, one process at a time.
///
/// SQLite 3.7.0 to 3.51.2 can corrupt a database when a checkpoint and a commit that resets the log run at once; under
/// this lock they never do. The file also keeps the generation of the last acknowledged write, so that a log that was
/// cut short behind our back is noticed. That note is not synchronized: it may be too low, never too high.
package struct WriterLock: ~Copyable {
    private let file: FileDescriptor
    package let isReadOnly: Bool
    /// The file as it was when it was opened: a lock on another one keeps nobody out.
    ///
    /// There is none where it is missing and cannot be made.
    package let identity: FileIdentity?

    /// How long a writer waits for the others, in milliseconds; tests that wait to the end have a shorter one.
    @TaskLocal package static var deadline: Int64 = 5_000

    package init(in directory: borrowing PrivateDirectory, creating: Bool) throws(StatusError) {
        let opened = try Self.open(in: directory, creating: creating)
        var identity: FileIdentity?
        if opened.number >= 0 { identity = try FileIdentity(of: opened) }
        isReadOnly = opened.number < 0 || fcntl(opened.number, F_GETFL) & O_ACCMODE == O_RDONLY
        self.identity = identity
        file = opened
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

    /// Takes the lock, waiting for at most ``deadline``.
    ///
    /// - Throws: `notAvailable` with `writerBusy` when another process does not let go.
    package borrowing func acquire() throws(StatusError) {
        guard !isReadOnly else { throw StatusError(.readOnly, .readOnlyStore) }
        try waitForLock(on: file, .writerLock)
    }

    /// Takes the lock if nobody has it, and says whether.
    package borrowing func acquireIfFree() -> Bool {
        !isReadOnly && flock(file.number, LOCK_EX | LOCK_NB) == 0
    }

    package borrowing func release() { _ = flock(file.number, LOCK_UN) }

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
    package var acknowledgedGeneration: UInt64 { Self.acknowledgedGeneration(in: file) }

    private static func acknowledgedGeneration(in file: borrowing FileDescriptor) -> UInt64 {
        var note: (UInt64, UInt64) = (0, 0)
        let count = unsafe pread(file.number, &note, 16, 0)
        let (generation, complement) = (UInt64(littleEndian: note.0), UInt64(littleEndian: note.1))
        return count == 16 && complement == ~generation ? generation : 0
    }

    /// Forgets every write, durably.
    package borrowing func forget() throws(StatusError) {
        guard ftruncate(file.number, 0) == 0, fsync(file.number) == 0 else {
            throw systemError(StoreLocation.writerLockName)
        }
    }

    /// Notes, durably and beforehand, that the next write must not leave what it overwrites in the log or in the database.
    package borrowing func noteScrubbing() throws(StatusError) {
        guard setScrubbing(1), fdatasync(file.number) == 0 else {
            throw systemError(StoreLocation.writerLockName)
        }
    }

    /// Notes that nothing is left of what was overwritten.
    package borrowing func noteScrubbed() { _ = setScrubbing(0) }

    /// Whether some write has still to be followed by an emptied log.
    package var owesScrubbing: Bool {
        var note: UInt8 = 0
        return unsafe pread(file.number, &note, 1, Self.scrubbingOffset) == 1 && note == 1
    }

    private borrowing func setScrubbing(_ value: UInt8) -> Bool {
        var note = value
        return unsafe pwrite(file.number, &note, 1, Self.scrubbingOffset) == 1
    }

    /// Behind the note of the generation.
    private static let scrubbingOffset: off_t = 16

    /// Notes the generation of a write that is durable.
    package borrowing func noteAcknowledged(_ generation: UInt64) {
        var note: (UInt64, UInt64) = (generation.littleEndian, (~generation).littleEndian)
        // Failure costs only the notice of a log that is damaged later.
        _ = unsafe pwrite(file.number, &note, 16, 0)
    }
}

/// The lock under which passcodes are tried, one process at a time, so that none is charged for another's guess.
///
/// It is on the device key's file, which never changes, and ends with this value.
package struct GuessLock: ~Copyable, Sendable {
    private let file: FileDescriptor

    package init(in directory: borrowing PrivateDirectory) throws(StatusError) {
        file = try directory.open(StoreLocation.deviceKeyName, flags: O_RDONLY)
    }

    /// Takes the lock.
    ///
    /// - Throws: `notAvailable` with `writerBusy` when others do not let go for as long as a writer would wait.
    package borrowing func acquire() throws(StatusError) { try waitForLock(on: file, .deviceKey) }

    package borrowing func release() { _ = flock(file.number, LOCK_UN) }
}

private func waitForLock(
    on file: borrowing FileDescriptor,
    _ name: StoreFile
) throws(StatusError) {
    var pause: UInt32 = 20
    let end = now() + WriterLock.deadline
    while flock(file.number, LOCK_EX | LOCK_NB) != 0 {
        guard errno == EWOULDBLOCK || errno == EINTR else { throw systemError(name.rawValue) }
        guard now() < end else { throw StatusError(.notAvailable, .writerBusy, file: name) }
        // Short and uneven pauses: a waiter must hit the gap between two commits of a busy writer.
        usleep(pause + UInt32.random(in: 0..<20))
        pause = min(pause * 2, 200)
    }
}

private func now() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
}
