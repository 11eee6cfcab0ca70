// SPDX-License-Identifier: Apache-2.0

import Glibc
package import KeychainModel

/// Caches encrypted class keys for all of the user's processes.
///
/// A cache stores each entry in the first location that works; if none works, it stores the entry in this process. The
/// cache receives neither a passcode nor the keys that decrypt its entries.
package struct KeyCache: Sendable {
    private let locations: KeyCacheLocations
    private let store: Bytes16
    private let directory: String

    /// Creates a cache for the keys of one store.
    ///
    /// `directory` is stored with each entry, so that other processes can detect that the store was deleted.
    /// A cache that is only read or cleared needs no directory.
    package init(locations: KeyCacheLocations, store: Bytes16, directory: String = "") {
        self.locations = locations
        self.store = store
        self.directory = directory
    }

    init(of location: StoreLocation, store: Bytes16, in directory: borrowing PrivateDirectory) {
        self.init(locations: location.keyCacheLocations, store: store, directory: directory.path)
    }

    /// The entries of this process, used if no location works.
    private static let own = ForkSafeMutex<[String: [UInt8]]>([:])

    private func name(_ slot: UnlockedKeys.Slot, _ parity: EpochParity) -> String {
        KeyCacheName(store: store, slot: slot, parity: parity).text
    }

    /// Calls the closure with the entry of each location, then with the entry of this process, until its result is
    /// not `nil`.
    ///
    /// Returns that result and where the entry was found; `nil` if the closure accepts no entry.
    func find<Result>(
        _ slot: UnlockedKeys.Slot,
        of parity: EpochParity,
        _ accept: ([UInt8]) -> Result?
    ) -> (found: Result, location: StoreStatus.KeyCache)? {
        let name = name(slot, parity)
        for location in locations.inOrder {
            if let box = location.read(name), let found = accept(box) { return (found, location.kind) }
        }
        return Self.own.withLock { $0[name] }.flatMap(accept).map { ($0, .thisProcess) }
    }

    /// Stores encrypted keys in the first location that works, and removes older entries from the others.
    ///
    /// Entries whose lock epoch has the other parity stay: they belong to the previous lock epoch, which other
    /// processes use until the new one is committed.
    ///
    /// - Returns: The key cache that stores the keys; `thisProcess` if no other process can use them.
    /// - Throws: The reason why an existing location is not trusted, for example because a file in it belongs to
    ///   another user or is accessible to others.
    @discardableResult
    func put(
        _ box: [UInt8],
        in slot: UnlockedKeys.Slot,
        of parity: EpochParity,
        seconds: UInt32?
    ) throws(StatusError) -> StoreStatus.KeyCache {
        let name = name(slot, parity)
        let entry = KeyCacheEntry(directory: directory, box: box).encoded
        var chosen: KeyCacheLocation?
        for location in locations.inOrder {
            if chosen == nil {
                // Check the previous epoch's entry now, because its removal after the commit cannot throw an error.
                try location.inspect(self.name(slot, parity.other))
                if try location.put(entry, name, seconds: seconds) {
                    chosen = location
                    continue
                }
            }
            location.remove(name)
        }
        let isKept = chosen != nil
        Self.own.withLock { $0[name] = isKept ? nil : box }
        return chosen?.kind ?? .thisProcess
    }

    /// Removes the entries that the closure selects, for one group of protection classes and one epoch parity.
    ///
    /// The closure receives entries that are read anew, because another process may have replaced an entry that
    /// the caller has read.
    func remove(_ slot: UnlockedKeys.Slot, of parity: EpochParity, where isOver: ([UInt8]) -> Bool) {
        let name = name(slot, parity)
        for location in locations.inOrder {
            if let box = location.read(name), isOver(box) { location.remove(name, unfinished: false) }
        }
        removeOwn(slot, of: parity, where: isOver)
    }

    func removeOwn(_ slot: UnlockedKeys.Slot, of parity: EpochParity, where isOver: ([UInt8]) -> Bool) {
        let name = name(slot, parity)
        Self.own.withLock { if let box = $0[name], isOver(box) { $0[name] = nil } }
    }

    /// Removes the keys of all classes that are available only while the keychain is unlocked.
    package func removeUnlocked() { remove(.unlocked) }

    private func remove(_ slot: UnlockedKeys.Slot) {
        for parity in EpochParity.allCases { remove(slot, of: parity) }
    }

    private func remove(_ slot: UnlockedKeys.Slot, of parity: EpochParity) {
        let name = name(slot, parity)
        for location in locations.inOrder { location.remove(name) }
        Self.own.withLock { $0[name] = nil }
    }

    /// Removes the keys of lock epochs with another parity than `epoch`; all keys if `epoch` is `nil`.
    package func discardAll(except epoch: Bytes16?) {
        for parity in EpochParity.allCases where parity != epoch.map(EpochParity.init) {
            for slot in UnlockedKeys.Slot.allCases { remove(slot, of: parity) }
        }
    }

    /// Removes all cached keys of the store, as a restart of the machine does.
    package func removeAll() { for slot in UnlockedKeys.Slot.allCases { remove(slot) } }

    /// Removes the keys of deleted stores, whose directory is missing or does not contain the store.
    ///
    /// - Returns: The number of removed keys.
    @discardableResult
    package func removeKeysOfDeletedStores() -> Int {
        locations.inOrder.reduce(0) { $0 + $1.removeEntriesOfDeletedStores() }
    }

    /// The key cache that the next unlock will use, unless storing the keys there fails, for example because the
    /// kernel's quota for keys is exhausted.
    package var kind: StoreStatus.KeyCache {
        locations.inOrder.first { $0.isAvailable }?.kind ?? .thisProcess
    }
}

/// The time by which the kernel should have freed the quota of removed keys; `nil` if no key was removed.
private let roomIsExpected = ForkSafeMutex<ContinuousClock.Instant?>(nil)

extension KeyCacheLocation {
    fileprivate var kind: StoreStatus.KeyCache {
        switch self {
        case .kernelKeyring: .kernelKeyring
        case .runtimeDirectory: .runtimeFile
        }
    }

    fileprivate var isAvailable: Bool {
        switch self {
        case .kernelKeyring: KernelKeyring.isAvailable
        case .runtimeDirectory(let path): RuntimeFile.isAvailable(in: path)
        }
    }

    fileprivate func read(_ name: String) -> [UInt8]? {
        let entry =
            switch self {
            case .kernelKeyring: KernelKeyring.read(name)
            case .runtimeDirectory(let path): RuntimeFile.read(name, in: path)
            }
        return entry.flatMap(KeyCacheEntry.init)?.box
    }

    /// Stores an entry; if the location is full, removes entries of deleted stores and retries.
    ///
    /// - Returns: Whether the user's other processes can read the entry here.
    fileprivate func put(_ entry: [UInt8], _ name: String, seconds: UInt32?) throws(StatusError) -> Bool {
        let outcome = try putOnce(entry, name, seconds: seconds)
        guard outcome == .full else { return outcome == .kept }
        if removeEntriesOfDeletedStores() > 0 { roomIsExpected.withLock { $0 = .now + .milliseconds(500) } }
        // The kernel frees the quota of a removed key with a short delay.
        while roomIsExpected.withLock({ $0.map { $0 > .now } ?? false }) {
            let outcome = try putOnce(entry, name, seconds: seconds)
            guard outcome == .full else { return outcome == .kept }
            usleep(10_000)
        }
        return false
    }

    private func putOnce(
        _ entry: [UInt8],
        _ name: String,
        seconds: UInt32?
    ) throws(StatusError) -> PutOutcome {
        switch self {
        case .kernelKeyring: KernelKeyring.put(entry, name, seconds: seconds)
        case .runtimeDirectory(let path): try RuntimeFile.put(entry, name, in: path)
        }
    }

    fileprivate func removeEntriesOfDeletedStores() -> Int {
        switch self {
        case .kernelKeyring: KernelKeyring.remove(where: KeyCacheEntry.isOfDeletedStore)
        case .runtimeDirectory(let path): RuntimeFile.remove(in: path, where: KeyCacheEntry.isOfDeletedStore)
        }
    }

    /// Checks the file of an entry; does nothing for the kernel keyring.
    ///
    /// - Throws: The reason why the file is not trusted.
    fileprivate func inspect(_ name: String) throws(StatusError) {
        switch self {
        case .kernelKeyring: break
        case .runtimeDirectory(let path): try RuntimeFile.inspect(name, in: path)
        }
    }

    /// Removes an entry; with `unfinished`, also temporary files that killed processes left.
    fileprivate func remove(_ name: String, unfinished: Bool = true) {
        switch self {
        case .kernelKeyring: KernelKeyring.remove(name)
        case .runtimeDirectory(let path): RuntimeFile.remove(name, in: path, unfinished: unfinished)
        }
    }
}
