// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// When keys in a key cache expire: after a time, or when the system sleeps.
struct AutoLock: Hashable, Sendable {
    /// When the keys expire, in milliseconds since the system started; `nil` if they do not expire with time.
    var deadline: UInt64?
    /// How many milliseconds the system had slept at the time of the unlock.
    ///
    /// It is `nil` if the keys do not expire when the system sleeps.
    var asleep: UInt64?

    /// The milliseconds by which two clocks that are read one after the other may differ.
    private static let tolerance: UInt64 = 1_000

    var isNone: Bool { deadline == nil && asleep == nil }

    func isOver(by clock: LockClock) -> Bool {
        if let deadline, clock.sinceStart() >= deadline { return true }
        guard let asleep else { return false }
        // Compare in this order to avoid overflow.
        let now = clock.asleep
        return now > asleep && now - asleep > Self.tolerance
    }
}

/// Class keys in a key cache, encrypted with a key derived from the device key.
struct UnlockedKeys: Sendable {
    /// The protection classes whose keys are stored in one entry, and removed together.
    enum Slot: UInt8, CaseIterable, Sendable {
        case unlocked = 1
        case afterFirstUnlock = 2

        /// The slot for the key of a protection class; `nil` for the `always` classes, whose keys are not cached.
        init?(_ protection: ProtectionClass) {
            switch protection.rule.available {
            case .unlocked: self = .unlocked
            case .afterFirstUnlock: self = .afterFirstUnlock
            case .always: return nil
            }
        }
    }

    let slot: Slot
    let epoch: Bytes16
    let limit: AutoLock
    let keys: [ClassKeyID: SecretKey]
}

/// The content of an entry: `version 1 | slot 1 | count 1 | flags 1 | zeros 4 | epoch 16 | deadline 8 |
/// asleep 8`, then for each key `class and parity 1 | key 32`.
extension UnlockedKeys {
    private static let version: UInt8 = 2
    private static let locksOnSleep: UInt8 = 1

    static let associatedData = Array("unlocked keys".utf8)

    func sealed(with storeKeys: StoreKeys) -> [UInt8] {
        // Reserve the full size first: a reallocated array would leave unerased copies of keys.
        var plain: [UInt8] = []
        plain.reserveCapacity(40 + ProtectionClass.allCases.count * 33)
        defer { plain.wipe() }
        plain += [
            Self.version, slot.rawValue, UInt8(clamping: keys.count),
            limit.asleep == nil ? 0 : Self.locksOnSleep, 0, 0, 0, 0,
        ]
        plain += epoch.bytes
        for number in [limit.deadline ?? 0, limit.asleep ?? 0] {
            unsafe withUnsafeBytes(of: number.littleEndian) { unsafe plain.append(contentsOf: $0) }
        }
        for (id, key) in keys {
            plain.append(id.code)
            unsafe key.withBytes { unsafe plain.append(contentsOf: $0) }
        }
        return Sealing.seal(plain, under: storeKeys.runtime, associatedData: Self.associatedData)
    }

    /// Decrypts an entry of a key cache; `nil` if it belongs to another store or is damaged.
    init?(opening box: [UInt8], with storeKeys: StoreKeys) {
        guard
            var plain = try? Sealing.open(
                box,
                under: storeKeys.runtime,
                associatedData: Self.associatedData,
                orThrow: .classKeyAbsent
            )
        else { return nil }
        defer { plain.wipe() }
        guard let parsed = unsafe plain.withUnsafeBytes({ unsafe Self.parse($0) }) else { return nil }
        self = parsed
    }

    private static func parse(_ plain: UnsafeRawBufferPointer) -> Self? {
        var reader = unsafe ByteReader(plain)
        guard reader.number() == version, let slotNumber: UInt8 = reader.number(),
            let slot = Slot(rawValue: slotNumber), let count: UInt8 = reader.number(),
            let flags: UInt8 = reader.number(), let _: UInt32 = reader.number(), let epoch = reader.bytes16(),
            let deadline: UInt64 = reader.number(), let asleep: UInt64 = reader.number()
        else { return nil }
        var keys: [ClassKeyID: SecretKey] = [:]
        for _ in 0..<count {
            guard let number: UInt8 = reader.number(), let id = ClassKeyID(code: number),
                Slot(id.protection) == slot,
                let key = unsafe reader.take(SecretKey.count).flatMap({ unsafe SecretKey(copying: $0) })
            else { return nil }
            keys[id] = key
        }
        let limit = AutoLock(
            deadline: deadline == 0 ? nil : deadline,
            asleep: flags & locksOnSleep == 0 ? nil : asleep
        )
        return Self(slot: slot, epoch: epoch, limit: limit, keys: keys)
    }
}

/// Stores, finds and removes the unwrapped class keys of one lock epoch in a key cache.
///
/// A lock epoch ends when the keychain is locked or unlocked, or when its passcode, lock settings or class keys
/// change.
package struct UnlockedKeySource: Sendable {
    package let epoch: Bytes16
    let keyCache: KeyCache
    let clock: LockClock

    package init(epoch: Bytes16, keyCache: KeyCache, clock: LockClock) {
        self.epoch = epoch
        self.keyCache = keyCache
        self.clock = clock
    }

    func keys(in slot: UnlockedKeys.Slot, with storeKeys: StoreKeys) -> UnlockedKeys? {
        find(slot, with: storeKeys)?.found
    }

    private func find(
        _ slot: UnlockedKeys.Slot,
        with storeKeys: StoreKeys
    ) -> (found: UnlockedKeys, location: StoreStatus.KeyCache)? {
        var someAreOver = false
        let result = keyCache.find(slot, of: EpochParity(epoch)) { box -> UnlockedKeys? in
            guard let found = UnlockedKeys(opening: box, with: storeKeys), found.slot == slot,
                found.epoch == epoch
            else { return nil }
            let isOver = found.limit.isOver(by: clock)
            if isOver { someAreOver = true }
            return isOver ? nil : found
        }
        // Remove expired entries: a process that reads the device key could still decrypt them.
        if someAreOver {
            keyCache.remove(slot, of: EpochParity(epoch)) {
                UnlockedKeys(opening: $0, with: storeKeys)?.limit.isOver(by: clock) == true
            }
        }
        return result
    }

    package func removeOwn(with storeKeys: StoreKeys) {
        for slot in UnlockedKeys.Slot.allCases {
            keyCache.removeOwn(slot, of: EpochParity(epoch)) {
                UnlockedKeys(opening: $0, with: storeKeys)?.epoch == epoch
            }
        }
    }

    /// Returns the key cache that contains valid class keys of this lock epoch; `nil` if there are none.
    package func location(with storeKeys: StoreKeys) -> StoreStatus.KeyCache? {
        (find(.unlocked, with: storeKeys) ?? find(.afterFirstUnlock, with: storeKeys))?.location
    }

    /// Stores unwrapped class keys in the key cache.
    ///
    /// - Returns: The key cache that stores the keys; `thisProcess` if other processes cannot use all of them.
    /// - Throws: Errors of ``KeyCache/put(_:in:of:seconds:)``.
    @discardableResult
    package func store(
        _ opened: UnlockedClassKeys,
        settings: LockSettings,
        with storeKeys: StoreKeys
    ) throws(StatusError) -> StoreStatus.KeyCache {
        var locations: [StoreStatus.KeyCache] = []
        for slot in UnlockedKeys.Slot.allCases {
            var limit = AutoLock()
            if slot == .unlocked {
                limit.deadline = settings.interval.map { clock.sinceStart() + UInt64($0) * 1_000 }
                limit.asleep = settings.locksOnSleep ? clock.asleep : nil
            }
            let keys = opened.keys.filter { UnlockedKeys.Slot($0.key.protection) == slot }
            let unlocked = UnlockedKeys(slot: slot, epoch: epoch, limit: limit, keys: keys)
            let box = unlocked.sealed(with: storeKeys)
            let seconds = slot == .unlocked ? settings.interval : nil
            try locations.append(keyCache.put(box, in: slot, of: EpochParity(epoch), seconds: seconds))
        }
        return locations.contains(.thisProcess) ? .thisProcess : locations[0]
    }

    /// Returns all cached class keys; `nil` if the keychain is locked.
    package func cachedKeys(with storeKeys: StoreKeys) -> UnlockedClassKeys? {
        guard let unlocked = keys(in: .unlocked, with: storeKeys) else { return nil }
        let others = keys(in: .afterFirstUnlock, with: storeKeys)?.keys ?? [:]
        return UnlockedClassKeys(keys: unlocked.keys.merging(others) { $1 })
    }

    /// Removes the keys of classes that are available only while the keychain is unlocked, and stores the others
    /// again for the next lock epoch.
    package func lock(to next: Bytes16, with storeKeys: StoreKeys) throws(StatusError) {
        keyCache.removeUnlocked()
        guard let kept = keys(in: .afterFirstUnlock, with: storeKeys) else { return }
        let moved = UnlockedKeys(slot: .afterFirstUnlock, epoch: next, limit: AutoLock(), keys: kept.keys)
        try keyCache.put(
            moved.sealed(with: storeKeys),
            in: .afterFirstUnlock,
            of: EpochParity(next),
            seconds: nil
        )
    }

    package func lockState(with storeKeys: StoreKeys) -> StoreStatus.LockState {
        if keys(in: .unlocked, with: storeKeys) != nil { return .unlocked }
        return keys(in: .afterFirstUnlock, with: storeKeys) == nil ? .beforeFirstUnlock : .locked
    }
}
