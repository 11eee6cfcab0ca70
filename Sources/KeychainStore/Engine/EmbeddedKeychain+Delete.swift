// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// Deletes a store; this requires no passcode, and also works if the store is damaged.
///
/// Renaming the database is the commit point. Before it, the store is complete; after it, the store counts as
/// deleted, and the next deletion or creation removes the remaining files.
extension EmbeddedKeychain {
    /// Deletes a store with all its items and its key cache entries; keeps the directory.
    ///
    /// Programs that have the store open detect the deletion at their next call. `afterEachStep` lets a test simulate
    /// a crash.
    ///
    /// - Throws: `noSuchKeychain` if the store does not exist; `notAvailable` with the reason, before any deletion,
    ///   if the directory or a file is not private to this user; `writePermission` with `notPermitted` if a file
    ///   cannot be removed.
    package static func delete(
        at location: StoreLocation,
        afterEachStep: () throws(StatusError) -> Void = {}
    ) throws(StatusError) {
        let directory = try existingDirectory(location.directory)
        // Check before acquiring the lock, which creates the lock's file.
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
        // Remove the lock file last, while still locked: a waiting process then finds it gone and retries.
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

enum StoreFiles {
    /// The database's name after it was renamed; while this file exists, the store counts as deleted.
    private static let mark = StoreLocation.deletedName
    private static let log = ["-wal", "-shm", "-journal"].map { StoreLocation.databaseName + $0 }
    /// Temporary files left by a process that was killed.
    private static let unfinished =
        [StoreLocation.deviceKeyName + ".new", mark + ".new"]
        + ["", "-journal", "-wal", "-shm"].map { StoreLocation.databaseName + ".new" + $0 }

    /// Returns whether the directory contains files of a store.
    ///
    /// - Throws: `notAvailable` with the reason if one of these files is not private to this user.
    static func arePresent(in directory: borrowing PrivateDirectory) throws(StatusError) -> Bool {
        var isPresent = false
        for name in [StoreLocation.databaseName, StoreLocation.deviceKeyName, mark] + log
        where try directory.inspect(name) != nil {
            isPresent = true
        }
        return isPresent
    }

    /// Returns whether a deletion was interrupted after its commit point.
    static func areDeleted(in directory: borrowing PrivateDirectory) throws(StatusError) -> Bool {
        try directory.inspect(mark) != nil
    }

    /// Renames the database durably: the commit point of the deletion.
    static func markDeleted(in directory: borrowing PrivateDirectory) throws(StatusError) {
        guard try directory.inspect(StoreLocation.databaseName) != nil else {
            // The database is missing, or an earlier deletion has already renamed it.
            if try !areDeleted(in: directory) { try directory.create(mark, contents: []) }
            return
        }
        directory.remove(mark)
        try directory.rename(StoreLocation.databaseName, to: mark)
    }

    /// Removes the key cache entries, then all files except the lock and the renamed database.
    static func clear(
        _ directory: borrowing PrivateDirectory,
        _ lock: borrowing WriterLock,
        caches: KeyCacheLocations,
        _ afterEachStep: () throws(StatusError) -> Void = {}
    ) throws(StatusError) {
        // Without a readable device key, key cache entries cannot be decrypted and need not be removed.
        if let device = try? DeviceKey(in: directory) {
            KeyCache(locations: caches, store: device.store).removeAll()
        }
        try afterEachStep()
        for name in [StoreLocation.deviceKeyName] + log + unfinished {
            directory.remove(name)
            // If a write-ahead log remained, the next store in this directory would read it.
            guard try directory.inspect(name) == nil else {
                throw StatusError(.writePermission, .notPermitted, file: StoreFile(name: name))
            }
            try afterEachStep()
        }
        // If the lock file still recorded a number of writes, creating a store in this directory would fail with
        // `databaseMissing`.
        try lock.removeNotes()
        try afterEachStep()
    }

    /// Removes the renamed database, which completes the deletion.
    static func finish(_ directory: borrowing PrivateDirectory) throws(StatusError) {
        directory.remove(mark)
        try directory.synchronize()
    }
}
