// SPDX-License-Identifier: Apache-2.0

import Glibc
package import KeychainModel

/// The lock for commits and checkpoints, held by one process at a time.
///
/// It prevents a bug of SQLite 3.7.0 to 3.51.2, which can corrupt a database when a checkpoint and a commit
/// that resets the write-ahead log run concurrently.
///
/// The lock file also stores the generation of the last acknowledged write. The generation is the number of writes
/// so far, which the database's header contains too: if it is lower there, the log was truncated or the database
/// was replaced by an old copy. The number in the lock file is not synced, so it may be too low, but never too high.
package struct WriterLock: ~Copyable, Sendable {
    private let lock: FileLock
    package let isReadOnly: Bool
    /// The identity of the lock file when it was opened, to detect a replaced file.
    ///
    /// It is `nil` if the file is missing and cannot be created.
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

    /// Opens the lock file of a directory; `nil` if the file does not exist.
    package static func existing(in directory: borrowing PrivateDirectory) throws(StatusError) -> Self? {
        do throws(StatusError) {
            return try Self(in: directory, creating: false)
        } catch {
            guard error.code == ENOENT else { throw error }
            return nil
        }
    }

    /// Opens and acquires the lock of a directory in which a store is created or deleted.
    ///
    /// If another process deletes the lock file meanwhile, this retries with a new file.
    ///
    /// - Throws: The errors of ``acquire()``; `notAvailable` with `databaseReplaced` if the directory was moved.
    package static func taken(in directory: borrowing PrivateDirectory) throws(StatusError) -> Self {
        for _ in 0..<attempts {
            let lock = try Self(in: directory, creating: true)
            try lock.acquire()
            guard let identity = lock.identity,
                !directory.leads(to: StoreLocation.writerLockName, being: identity)
            else { return lock }
        }
        // Each new lock file was gone as well, so the directory itself was moved.
        throw StatusError(.notAvailable, .databaseReplaced)
    }

    private static let attempts = 64

    private static func open(
        in directory: borrowing PrivateDirectory,
        creating: Bool
    ) throws(StatusError) -> FileDescriptor {
        let name = StoreLocation.writerLockName
        do throws(StatusError) {
            return try directory.open(name, flags: O_RDWR | (creating ? O_CREAT : 0))
        } catch {
            // If the file belongs to another user, `inspect` throws a more precise error.
            let exists = try directory.inspect(name) != nil
            guard error.status == .readOnly || error.status == .writePermission else { throw error }
            return exists ? try directory.open(name, flags: O_RDONLY) : FileDescriptor(-1)
        }
    }

    /// Acquires the lock, waiting in the kernel's queue.
    ///
    /// - Throws: `readOnly` with `readOnlyStore` if the lock file is not writable; `notAvailable` with
    ///   `writerBusy` if another process holds the lock and acknowledges no write within ``deadline``; the error of
    ///   the system if locking the file fails.
    package borrowing func acquire() throws(StatusError) {
        guard !isReadOnly else { throw StatusError(.readOnly, .readOnlyStore) }
        try lock.acquire(deadline: Self.deadline) { file in Self.acknowledgedGeneration(in: file) }
    }

    package borrowing func acquireIfFree() -> Bool {
        !isReadOnly && lock.acquireIfFree()
    }

    package borrowing func release() { lock.release() }

    /// Returns the number of acknowledged writes that the lock file records; 0 if it records none.
    ///
    /// The lock file is not created, so that a rejected store stays unchanged.
    package static func acknowledgedGeneration(
        in directory: borrowing PrivateDirectory
    ) throws(StatusError) -> UInt64 {
        acknowledgedGeneration(in: try existing(in: directory))
    }

    /// The number of acknowledged writes, read from the open lock file.
    package var acknowledgedGeneration: UInt64 { Self.acknowledgedGeneration(in: lock.file) }

    static func acknowledgedGeneration(in lock: borrowing Self?) -> UInt64 {
        switch lock {
        case .some(let lock): lock.acknowledgedGeneration
        case nil: 0
        }
    }

    private static func acknowledgedGeneration(in file: borrowing FileDescriptor) -> UInt64 {
        notes(in: file).acknowledged
    }

    /// Durably removes the recorded number of writes, and the flag that the write-ahead log must be emptied.
    package borrowing func removeNotes() throws(StatusError) {
        guard ftruncate(lock.file.number, 0) == 0, fsync(lock.file.number) == 0 else {
            throw systemError(StoreLocation.writerLockName)
        }
    }

    /// Durably records, before a write that overwrites secret data, that the write-ahead log must be emptied later.
    package borrowing func noteScrubbing() throws(StatusError) {
        guard setScrubbing(1), fdatasync(lock.file.number) == 0 else {
            throw systemError(StoreLocation.writerLockName)
        }
    }

    /// Records that the write-ahead log was emptied, so that the files contain no overwritten secret data.
    package borrowing func noteScrubbed() { _ = setScrubbing(0) }

    /// Whether the write-ahead log must be emptied, because a write has overwritten secret data.
    package var isScrubbingPending: Bool { notes.isScrubbingPending }

    /// The number of acknowledged writes, and whether the write-ahead log must be emptied.
    package var notes: (acknowledged: UInt64, isScrubbingPending: Bool) { Self.notes(in: lock.file) }

    private static func notes(
        in file: borrowing FileDescriptor
    ) -> (acknowledged: UInt64, isScrubbingPending: Bool) {
        var note: (UInt64, UInt64, UInt8) = (0, 0, 0)
        let count = unsafe pread(file.number, &note, 17, 0)
        let (generation, complement) = (UInt64(littleEndian: note.0), UInt64(littleEndian: note.1))
        let isValid = count >= 16 && complement == ~generation
        return (isValid ? generation : 0, count == 17 && note.2 == 1)
    }

    private borrowing func setScrubbing(_ value: UInt8) -> Bool {
        var note = value
        return unsafe pwrite(lock.file.number, &note, 1, Self.scrubbingOffset) == 1
    }

    /// The offset of the scrubbing flag, after the 16 bytes of the recorded number of writes.
    private static let scrubbingOffset: off_t = 16

    package borrowing func noteAcknowledged(_ generation: UInt64) {
        var note: (UInt64, UInt64) = (generation.littleEndian, (~generation).littleEndian)
        // If this write fails, a later truncation of the write-ahead log may go undetected.
        _ = unsafe pwrite(lock.file.number, &note, 16, 0)
    }
}

/// The lock for passcode guesses: one process at a time counts and verifies a guess.
///
/// A guess counts as wrong until it is verified. Without the lock, another process could meanwhile refuse a guess
/// because of too many wrong ones.
///
/// The lock is a `flock` on the device key's file, whose contents never change. It is released when this
/// value is destroyed.
package struct GuessLock: ~Copyable, Sendable {
    private let lock: FileLock

    package init(in directory: borrowing PrivateDirectory) throws(StatusError) {
        lock = try FileLock(directory.open(StoreLocation.deviceKeyName, flags: O_RDONLY), .deviceKey)
    }

    /// Acquires the lock, waiting in the kernel's queue.
    ///
    /// - Throws: `notAvailable` with `writerBusy` if other processes hold it for longer than
    ///   ``WriterLock/deadline``; the error of the system if locking the file fails.
    package borrowing func acquire() throws(StatusError) { try lock.acquire(deadline: WriterLock.deadline) }

    package borrowing func release() { lock.release() }
}
