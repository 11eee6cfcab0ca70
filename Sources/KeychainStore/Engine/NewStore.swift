// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Creating a store.
enum NewStore {
    /// Opens the directory of a store, and creates the store unless the directory has or had one.
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

    /// Whether the directory has lost its database.
    ///
    /// Creating an empty one would hide the loss, and the remaining log would corrupt it.
    private static func hasLostDatabase(
        _ directory: borrowing PrivateDirectory
    ) throws(StatusError) -> Bool {
        let database = StoreLocation.databaseName
        // Creating a store completes an interrupted deletion.
        guard try !StoreFiles.areDeleted(in: directory) else { return false }
        let wasWritten = try WriterLock.acknowledgedGeneration(in: directory) > 0
        let log = try directory.inspect(database + "-wal")
        guard wasWritten || log != nil else { return false }
        // Checked last: another process may be creating it.
        return try directory.inspect(database) == nil
    }

    /// Creates the device key and then the database, so that a database always has its key.
    private static func create(
        in directory: borrowing PrivateDirectory,
        caches: [KeyCacheLocation]
    ) throws(StatusError) {
        let lock = try WriterLock.taken(in: directory)
        defer { lock.release() }
        // Another process may have been faster.
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
        let header = StoreHeader(keybagDigest: Bytes32(digestOf: keybag))
        let pages = [
            (number: PageNumber.keybag, content: keybag),
            (number: PageNumber.header, content: header.sealed(with: keys)),
        ]
        lock.noteAcknowledged(0)
        try ItemStore.create(in: directory, pages: pages)
    }
}
