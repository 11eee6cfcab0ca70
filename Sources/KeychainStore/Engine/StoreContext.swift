// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// The objects that all sessions of an open store share, such as its directory, keys and locks.
final class StoreContext: Sendable {
    let location: StoreLocation
    let directory: PrivateDirectory
    let writerLock: WriterLock
    let keys: StoreKeys
    let keySessions: KeySessions
    /// The clock for the dates of items, in seconds since 2001-01-01 00:00 UTC.
    let clock: @Sendable () -> Double
    private let deviceKey: FileIdentity

    private init(
        _ location: StoreLocation,
        _ directory: consuming PrivateDirectory,
        _ writerLock: consuming WriterLock,
        deviceKey: FileIdentity,
        keys: StoreKeys,
        keySessions: KeySessions,
        clock: @escaping @Sendable () -> Double
    ) {
        self.location = location
        self.directory = directory
        self.writerLock = writerLock
        self.deviceKey = deviceKey
        self.keys = keys
        self.keySessions = keySessions
        self.clock = clock
    }

    /// Opens a store, or creates a missing one if the location allows it.
    ///
    /// - Throws: `noSuchKeychain` if the store is missing and may not be created; otherwise, for example,
    ///   `notAvailable` or `undecodable` with the reason. An existing store then stays unchanged.
    static func open(
        at location: StoreLocation,
        clock: @escaping @Sendable () -> Double,
        lockClock: LockClock
    ) throws(StatusError) -> ReadSession {
        let directory = try NewStore.directory(at: location)
        if location.isInherited { SecretKey.abandonInheritedPages() }
        let (deviceKey, keys) = try Self.keys(in: directory)
        // Read the acknowledged generation, a number of writes, before the header. If another process commits in
        // between, the header is newer than that number, and is not mistaken for an old copy.
        let existingLock = try WriterLock.existing(in: directory)
        let acknowledged = WriterLock.acknowledgedGeneration(in: existingLock)
        if location.isInherited { try directory.holdAfterFork(StoreLocation.databaseName) }
        let rows = try ItemStore(in: directory, location)
        let keyCache = KeyCache(of: location, store: keys.store, in: directory)
        let keySessions = KeySessions(keyCache: keyCache, clock: lockClock)
        let state = try AuthenticatedState.load(
            from: rows,
            acknowledged: acknowledged,
            with: keys,
            keySessions
        )
        // Create the lock file only now that the directory is known to contain a usable store.
        let writerLock =
            if let existingLock { existingLock } else { try WriterLock(in: directory, creating: true) }
        try rows.accept(in: directory)
        let store = StoreContext(
            location,
            directory,
            writerLock,
            deviceKey: deviceKey,
            keys: keys,
            keySessions: keySessions,
            clock: clock
        )
        let session = ReadSession(of: store, rows, state)
        session.finishForEndedProcess()
        return session
    }

    private static func keys(
        in directory: borrowing PrivateDirectory
    ) throws(StatusError) -> (file: FileIdentity, keys: StoreKeys) {
        guard let file = try directory.inspect(StoreLocation.deviceKeyName),
            let device = try DeviceKey(in: directory)
        else {
            throw StatusError(.notAvailable, .deviceKeyMissing)
        }
        return (file, StoreKeys(device))
    }

    /// Whether the store's paths still refer to the directory, device key and lock file that are open.
    var isInPlace: Bool {
        directory.isInPlace && directory.has(StoreLocation.deviceKeyName, being: deviceKey)
            && writerLock.identity.map { directory.has(StoreLocation.writerLockName, being: $0) } ?? true
    }
}
