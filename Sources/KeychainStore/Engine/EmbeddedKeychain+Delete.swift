// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import KeychainModel

/// Deleting a store, which needs neither the passcode nor a store that can be opened: it is the way out when the one is
/// forgotten or the other damaged.
///
/// One rename decides. Before it the store is whole, after it there is none: whoever deletes or makes a store there next
/// takes away what is left of the files.
extension EmbeddedKeychain {
    /// Deletes a store with all its items, and its unlocked keys in key caches.
    ///
    /// Programs that have it open find out at their next call, as if it had been replaced. The directory stays.
    ///
    /// `afterEachStep` lets a test stop where a crash would.
    ///
    /// - Throws: `noSuchKeychain` where there is none; `notAvailable` with what is wrong with a directory or a file that is
    ///   not this user's own and closed to others: nothing is touched then.
    package static func delete(
        at location: StoreLocation,
        afterEachStep: () throws(StatusError) -> Void = {}
    ) throws(StatusError) {
        let directory = try existingDirectory(location.directory)
        // Asked before there is a lock, whose file would otherwise be made.
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
        // Last, and still locked: who waits for it finds it gone, and takes another.
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

/// The files of a store that is being deleted, or whose deletion was cut short.
enum StoreFiles {
    /// What a deletion leaves for last: it says that what else is there belongs to no store.
    private static let mark = StoreLocation.deletedName
    private static let log = ["-wal", "-shm", "-journal"].map { StoreLocation.databaseName + $0 }
    /// What was being made when a program was killed.
    private static let unfinished =
        [StoreLocation.deviceKeyName + ".new", mark + ".new"]
        + ["", "-journal", "-wal", "-shm"].map { StoreLocation.databaseName + ".new" + $0 }

    /// Whether there is anything of a store; a file that is not this user's own is an error.
    static func arePresent(in directory: borrowing PrivateDirectory) throws(StatusError) -> Bool {
        var isPresent = false
        for name in [StoreLocation.databaseName, StoreLocation.deviceKeyName, mark] + log
        where try directory.inspect(name) != nil {
            isPresent = true
        }
        return isPresent
    }

    /// Whether a deletion was cut short.
    static func areDeleted(in directory: borrowing PrivateDirectory) throws(StatusError) -> Bool {
        try directory.inspect(mark) != nil
    }

    /// The step that decides, durable on return.
    static func markDeleted(in directory: borrowing PrivateDirectory) throws(StatusError) {
        guard try directory.inspect(StoreLocation.databaseName) != nil else {
            // The database was lost, or is deleted already.
            if try !areDeleted(in: directory) { try directory.create(mark, contents: Data()) }
            return
        }
        directory.remove(mark)
        try directory.rename(StoreLocation.databaseName, to: mark)
    }

    /// Takes away everything but the lock's file and the mark, what opens items first.
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
            // A log that stayed would be taken for the next store's.
            guard try directory.inspect(name) == nil else {
                throw StatusError(.writePermission, .notPermitted, file: StoreFile(name: name))
            }
            try afterEachStep()
        }
        // A note of writes without a database would be a database that was lost.
        try lock.forget()
        try afterEachStep()
    }

    /// Ends a deletion: the next store is a new one.
    static func finish(_ directory: borrowing PrivateDirectory) throws(StatusError) {
        directory.remove(mark)
        try directory.synchronize()
    }
}
