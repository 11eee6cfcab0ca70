// SPDX-License-Identifier: Apache-2.0

import KeychainModel

enum NewStore {
    /// Opens the directory of a store, or creates a missing store if the location allows it.
    ///
    /// - Throws: `notAvailable` with `databaseMissing` if a store has been written or has a log, but its database is
    ///   missing; `noSuchKeychain` with `storeMissing` if there is no store and the location does not allow creating
    ///   one; an error if the directory or a file is not private to this user, or cannot be created.
    static func directory(at location: StoreLocation) throws(StatusError) -> PrivateDirectory {
        let directory = try openedDirectory(at: location)
        guard try directory.inspect(StoreLocation.databaseName) == nil else { return directory }
        guard try !hasLostDatabase(directory) else { throw StatusError(.notAvailable, .databaseMissing) }
        guard location.createsIfMissing else { throw StatusError(.noSuchKeychain, .storeMissing) }
        try create(in: directory, caches: location.keyCacheLocations)
        return directory
    }

    private static func openedDirectory(at location: StoreLocation) throws(StatusError) -> PrivateDirectory {
        do throws(StatusError) {
            return try PrivateDirectory(path: location.directory, creating: location.createsIfMissing)
        } catch {
            guard !location.createsIfMissing, error.reason == .directoryMissing else { throw error }
            throw StatusError(.noSuchKeychain, .storeMissing)
        }
    }

    /// Returns whether the directory contains traces of a store, but no database.
    ///
    /// Creating an empty database would hide the loss, and a remaining write-ahead log would corrupt the new database.
    private static func hasLostDatabase(
        _ directory: borrowing PrivateDirectory
    ) throws(StatusError) -> Bool {
        let database = StoreLocation.databaseName
        // An interrupted deletion is no loss: creating a store first completes the deletion.
        guard try !StoreFiles.areDeleted(in: directory) else { return false }
        let wasWritten = try WriterLock.acknowledgedGeneration(in: directory) > 0
        let log = try directory.inspect(database + "-wal")
        guard wasWritten || log != nil else { return false }
        // Check the database last, because another process may be creating it.
        return try directory.inspect(database) == nil
    }

    /// Creates the device key, unless it exists, and then the database, so that a database always has its key.
    private static func create(
        in directory: borrowing PrivateDirectory,
        caches: KeyCacheLocations
    ) throws(StatusError) {
        let lock = try WriterLock.taken(in: directory)
        defer { lock.release() }
        // Another process may have created the store while this one waited for the lock.
        guard try directory.inspect(StoreLocation.databaseName) == nil else { return }
        if try StoreFiles.areDeleted(in: directory) {
            try StoreFiles.clear(directory, lock, caches: caches)
            try StoreFiles.finish(directory)
        }
        let device: DeviceKey
        if let existing = try DeviceKey(in: directory) {
            device = existing
        } else {
            device = .random()
            try device.save(in: directory)
        }
        let keys = StoreKeys(device)
        let keybag = Keybag.random(with: keys).page
        var header = StoreHeader(keybagDigest: Bytes32(digestOf: keybag))
        let pages = [
            (number: PageNumber.keybag, content: keybag),
            (number: PageNumber.header, content: header.seal(with: keys)),
        ]
        lock.noteAcknowledged(0)
        try ItemStore.create(in: directory, pages: pages)
    }
}
