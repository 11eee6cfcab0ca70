// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
package import KeychainModel

/// Keeps sealed class keys where every process of the user finds them: in the first location that works, else in this
/// process alone.
///
/// It never gets a passcode, and it cannot read what it is given.
package struct KeyCache: Sendable {
    private let locations: [KeyCacheLocation]
    private let store: Bytes16
    private let directory: String

    /// By the store's directory others find out that the store is gone; a cache that only reads and removes needs none.
    package init(locations: [KeyCacheLocation], store: Bytes16, directory: String = "") {
        self.locations = locations
        self.store = store
        self.directory = directory
    }

    init(of location: StoreLocation, store: Bytes16, in directory: borrowing PrivateDirectory) {
        self.init(locations: location.keyCacheLocations, store: store, directory: directory.path)
    }

    /// In-process fallback.
    private static let own = ForkSafeMutex<[String: Data]>([:])

    private func name(_ slot: UnlockedKeys.Slot, _ parity: EpochParity) -> String {
        KeyCacheName(store: store, slot: slot, parity: parity).text
    }

    /// Looks in every location until the closure accepts what it is shown.
    func find<Result>(
        _ slot: UnlockedKeys.Slot,
        of parity: EpochParity,
        _ accept: (Data) -> Result?
    ) -> (found: Result, location: StoreStatus.KeyCache)? {
        let name = name(slot, parity)
        for location in locations {
            if let box = location.read(name), let found = accept(box) { return (found, location.kind) }
        }
        return Self.own.withLock { $0[name] }.flatMap(accept).map { ($0, .thisProcess) }
    }

    /// Puts sealed keys into the first location that keeps them, and removes older ones from the others.
    ///
    /// Those of the other parity stay: a process that reads the store before this change is durable needs them.
    ///
    /// - Returns: where they are; `thisProcess` where no other process can use them.
    /// - Throws: what is wrong with a location that is there and cannot be trusted: a file of another user, or one that
    ///   others can read.
    @discardableResult
    func put(
        _ box: Data,
        in slot: UnlockedKeys.Slot,
        of parity: EpochParity,
        seconds: UInt32?
    ) throws(StatusError) -> StoreStatus.KeyCache {
        let name = name(slot, parity)
        let entry = KeyCacheEntry(directory: directory, box: box).encoded
        var chosen: KeyCacheLocation?
        for location in locations {
            if chosen == nil {
                // What is wrong with the present keys is reported now, not when they are removed.
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

    /// Removes what the closure chooses, which sees the box again: another process may have put a newer one.
    func remove(_ slot: UnlockedKeys.Slot, of parity: EpochParity, where isOver: (Data) -> Bool) {
        let name = name(slot, parity)
        for location in locations {
            if let box = location.read(name), isOver(box) { location.remove(name, unfinished: false) }
        }
        removeOwn(slot, of: parity, where: isOver)
    }

    /// The same of what this process alone has.
    func removeOwn(_ slot: UnlockedKeys.Slot, of parity: EpochParity, where isOver: (Data) -> Bool) {
        let name = name(slot, parity)
        Self.own.withLock { if let box = $0[name], isOver(box) { $0[name] = nil } }
    }

    /// Removes the keys that need the unlocked state, of every lock epoch.
    package func removeUnlocked() { remove(.unlocked) }

    private func remove(_ slot: UnlockedKeys.Slot) {
        for parity in EpochParity.allCases { remove(slot, of: parity) }
    }

    private func remove(_ slot: UnlockedKeys.Slot, of parity: EpochParity) {
        let name = name(slot, parity)
        for location in locations { location.remove(name) }
        Self.own.withLock { $0[name] = nil }
    }

    /// Removes all keys but those of a lock epoch.
    package func discardAll(except epoch: Bytes16?) {
        for parity in EpochParity.allCases where parity != epoch.map(EpochParity.init) {
            for slot in UnlockedKeys.Slot.allCases { remove(slot, of: parity) }
        }
    }

    /// Removes the keys of the store everywhere, as a restart of the machine does.
    package func removeAll() { for slot in UnlockedKeys.Slot.allCases { remove(slot) } }

    /// Removes the keys of stores that are gone, whose directory does not exist or has another store by now.
    ///
    /// - Returns: how many keys were removed.
    @discardableResult
    package func removeKeysOfDeletedStores() -> Int {
        locations.reduce(0) { $0 + $1.removeEntriesOfDeletedStores() }
    }

    /// Where the next unlock will leave the keys, unless the kernel has no room for them.
    package var kind: StoreStatus.KeyCache { locations.first { $0.isAvailable }?.kind ?? .thisProcess }
}

/// Until when a key that this process has removed may come back to the quota.
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

    fileprivate func read(_ name: String) -> Data? {
        let entry =
            switch self {
            case .kernelKeyring: KernelKeyring.read(name)
            case .runtimeDirectory(let path): RuntimeFile.read(name, in: path)
            }
        return entry.flatMap(KeyCacheEntry.init)?.box
    }

    /// Puts an entry; where that fails for want of room, room is made at the cost of stores that are gone.
    ///
    /// - Returns: whether another process of the user finds the entry here now.
    fileprivate func put(_ entry: Data, _ name: String, seconds: UInt32?) throws(StatusError) -> Bool {
        let outcome = try putOnce(entry, name, seconds: seconds)
        guard outcome == .full else { return outcome == .kept }
        if removeEntriesOfDeletedStores() > 0 { roomIsExpected.withLock { $0 = .now + .milliseconds(500) } }
        // The kernel gives a removed key back to the quota a moment later: for this entry, or for the one after it.
        while roomIsExpected.withLock({ $0.map { $0 > .now } ?? false }) {
            let outcome = try putOnce(entry, name, seconds: seconds)
            guard outcome == .full else { return outcome == .kept }
            usleep(10_000)
        }
        return false
    }

    private func putOnce(
        _ entry: Data,
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

    /// - Throws: what is wrong with a file of the name.
    fileprivate func inspect(_ name: String) throws(StatusError) {
        switch self {
        case .kernelKeyring: break
        case .runtimeDirectory(let path): try RuntimeFile.inspect(name, in: path)
        }
    }

    /// Removes a box, and what processes that were killed have left of it unless others may be putting it just now.
    fileprivate func remove(_ name: String, unfinished: Bool = true) {
        switch self {
        case .kernelKeyring: KernelKeyring.remove(name)
        case .runtimeDirectory(let path): RuntimeFile.remove(name, in: path, unfinished: unfinished)
        }
    }
}
