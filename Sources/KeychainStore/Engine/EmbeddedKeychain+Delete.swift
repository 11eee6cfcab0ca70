// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// Deleting a store, without its passcode and even if it is damaged.
///
/// One rename is the commit point. Before it the store is complete; after it there is none, and the next
/// deletion or creation removes the remaining files.
extension EmbeddedKeychain {
    /// Deletes a store with all its items and its key cache entries.
    ///
    /// Programs that have it open detect the deletion at their next call. The directory remains.
    /// `afterEachStep` lets a test simulate a crash.
    ///
    /// - Throws: `noSuchKeychain` if there is none; `notAvailable` with the reason if the directory or a file
    ///   is not private to this user; nothing is deleted then.
    package static func delete(
        at location: StoreLocation,
        afterEachStep: () throws(StatusError) -> Void = {}
    ) throws(StatusError) {
        let directory = try existingDirectory(location.directory)
        // Check first, because acquiring the lock would create its file.
        guard try StoreFiles.arePresent(in: directory) else { throw Self.missing }
        let lock = try WriterLock.taken(in: directory)
        defer { lock.release() }
        guard try StoreFiles.arePresent(in: directory) else {
            directory.remove(StoreLocation.writerLockName)
            throw Self.missing
        }
        try afterEachStep()
        try StoreFiles.markDeleted(in: directory)
        try afterEachStep()
        try StoreFiles.clear(directory, lock, caches: location.keyCacheLocations, afterEachStep)
        try StoreFiles.finish(directory)
        try afterEachStep()
        // Last, while still locked: a process that waits for the lock finds the file gone and retries.
        directory.remove(StoreLocation.writerLockName)
    }

    private static var missing: StatusError { StatusError(.noSuchKeychain, .storeMissing) }

    private static func existingDirectory(_ path: String) throws(StatusError) -> PrivateDirectory {
        do throws(StatusError) {
            return try PrivateDirectory(path: path, creating: false)
        } catch {
            throw error.reason == .directoryMissing ? missing : error
        }
    }
}

/// The files of a store that is being deleted, or whose deletion was interrupted.
enum StoreFiles {
    /// The file that is deleted last, which marks the others as belonging to a deleted store.
    private static let mark = StoreLocation.deletedName
    private static let log = ["-wal", "-shm", "-journal"].map { StoreLocation.databaseName + $0 }
    /// Temporary files left by a process that was killed.
    private static let unfinished =
        [StoreLocation.deviceKeyName + ".new", mark + ".new"]
        + ["", "-journal", "-wal", "-shm"].map { StoreLocation.databaseName + ".new" + $0 }

    /// Whether there are files of a store; throws for files of other users.
    static func arePresent(in directory: borrowing PrivateDirectory) throws(StatusError) -> Bool {
        var isPresent = false
        for name in [StoreLocation.databaseName, StoreLocation.deviceKeyName, mark] + log
        where try directory.inspect(name) != nil {
            isPresent = true
        }
        return isPresent
    }

    /// Whether a deletion was interrupted.
    static func areDeleted(in directory: borrowing PrivateDirectory) throws(StatusError) -> Bool {
        try directory.inspect(mark) != nil
    }

    /// The commit point of the deletion, durable on return.
    static func markDeleted(in directory: borrowing PrivateDirectory) throws(StatusError) {
        guard try directory.inspect(StoreLocation.databaseName) != nil else {
            // The database is missing or already marked.
            if try !areDeleted(in: directory) { try directory.create(mark, contents: []) }
            return
        }
        directory.remove(mark)
        try directory.rename(StoreLocation.databaseName, to: mark)
    }

    /// Removes all files except the lock and the marker, keys first.
    static func clear(
        _ directory: borrowing PrivateDirectory,
        _ lock: borrowing WriterLock,
        caches: [KeyCacheLocation],
        _ afterEachStep: () throws(StatusError) -> Void = {}
    ) throws(StatusError) {
        // Without a readable device key, the contents of key caches cannot be decrypted either.
        if let device = try? DeviceKey(in: directory) {
            KeyCache(locations: caches, store: device.store).removeAll()
        }
        try afterEachStep()
        for name in [StoreLocation.deviceKeyName] + log + unfinished {
            directory.remove(name)
            // The next store would use a remaining log.
            guard try directory.inspect(name) == nil else {
                throw StatusError(.writePermission, .notPermitted, file: StoreFile(name: name))
            }
            try afterEachStep()
        }
        // A noted generation without a database would count as a lost database.
        try lock.forget()
        try afterEachStep()
    }

    /// Completes a deletion, so that a new store can be created.
    static func finish(_ directory: borrowing PrivateDirectory) throws(StatusError) {
        directory.remove(mark)
        try directory.synchronize()
    }
}
