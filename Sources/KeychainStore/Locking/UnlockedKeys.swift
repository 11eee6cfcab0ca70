// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// When unlocked keys expire.
struct AutoLock: Hashable, Sendable {
    /// In milliseconds since the system started; `nil` for never.
    var deadline: UInt64?
    /// How long the system had slept at the unlock; `nil` if sleep does not lock.
    var asleep: UInt64?

    /// Tolerance for reading two clocks one after the other.
    private static let tolerance: UInt64 = 1_000

    var isNone: Bool { deadline == nil && asleep == nil }

    func isOver(by clock: LockClock) -> Bool {
        if let deadline, clock.sinceStart() >= deadline { return true }
        guard let asleep else { return false }
        // Compared in this order to avoid overflow.
        let now = clock.asleep
        return now > asleep && now - asleep > Self.tolerance
    }
}

/// Class keys in a key cache, encrypted with a key derived from the device key.
struct UnlockedKeys: Sendable {
    /// A set of classes whose keys are removed together.
    enum Slot: UInt8, CaseIterable, Sendable {
        case unlocked = 1
        case afterFirstUnlock = 2

        /// The slot of a class; `nil` for the `always` classes.
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
    let keys: [ProtectionClass: SecretKey]
}

/// The content: `version 1 | slot 1 | count 1 | flags 1 | zeros 4 | epoch 16 | deadline 8 | asleep 8`, then
/// for each key `class 1 | key 32`.
extension UnlockedKeys {
    private static let version: UInt8 = 2
    private static let locksOnSleep: UInt8 = 1

    static let associatedData = Array("unlocked keys".utf8)

    func sealed(with storeKeys: StoreKeys) -> [UInt8] {
        // Reserve the full size: a reallocated array would leave unerased copies.
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
        for (protection, key) in keys {
            plain.append(protection.rawValue)
            unsafe key.withBytes { unsafe plain.append(contentsOf: $0) }
        }
        return Sealing.seal(plain, under: storeKeys.runtime, associatedData: Self.associatedData)
    }

    /// Decrypts an entry of a key cache; `nil` if it is of another store or was modified.
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
        var keys: [ProtectionClass: SecretKey] = [:]
        for _ in 0..<count {
            guard let number: UInt8 = reader.number(), let protection = ProtectionClass(rawValue: number),
                Slot(protection) == slot,
                let key = unsafe reader.take(SecretKey.count).flatMap({ unsafe SecretKey(copying: $0) })
            else { return nil }
            keys[protection] = key
        }
        let limit = AutoLock(
            deadline: deadline == 0 ? nil : deadline,
            asleep: flags & locksOnSleep == 0 ? nil : asleep
        )
        return Self(slot: slot, epoch: epoch, limit: limit, keys: keys)
    }
}

/// The source of a keybag's unlocked keys: a key cache and the lock epoch.
package struct UnlockedKeySource: Sendable {
    /// The lock epoch; keys of other epochs are invalid.
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
        // Remove expired keys, which the device key could otherwise decrypt.
        if someAreOver {
            keyCache.remove(slot, of: EpochParity(epoch)) {
                UnlockedKeys(opening: $0, with: storeKeys)?.limit.isOver(by: clock) == true
            }
        }
        return result
    }

    /// Removes in-process keys of the epoch.
    package func removeOwn(with storeKeys: StoreKeys) {
        for slot in UnlockedKeys.Slot.allCases {
            keyCache.removeOwn(slot, of: EpochParity(epoch)) {
                UnlockedKeys(opening: $0, with: storeKeys)?.epoch == epoch
            }
        }
    }

    /// The key cache that contains the unlocked keys; `nil` if there are none.
    package func location(with storeKeys: StoreKeys) -> StoreStatus.KeyCache? {
        (find(.unlocked, with: storeKeys) ?? find(.afterFirstUnlock, with: storeKeys))?.location
    }

    /// Stores class keys in the key cache.
    ///
    /// - Returns: The key cache used; `thisProcess` if other processes cannot use all keys.
    /// - Throws: Errors of the key cache.
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
            let keys = opened.keys.filter { UnlockedKeys.Slot($0.key) == slot }
            let unlocked = UnlockedKeys(slot: slot, epoch: epoch, limit: limit, keys: keys)
            let box = unlocked.sealed(with: storeKeys)
            let seconds = slot == .unlocked ? settings.interval : nil
            try locations.append(keyCache.put(box, in: slot, of: EpochParity(epoch), seconds: seconds))
        }
        return locations.contains(.thisProcess) ? .thisProcess : locations[0]
    }

    /// All cached keys, if the keychain is unlocked.
    package func cachedKeys(with storeKeys: StoreKeys) -> UnlockedClassKeys? {
        guard let unlocked = keys(in: .unlocked, with: storeKeys) else { return nil }
        let others = keys(in: .afterFirstUnlock, with: storeKeys)?.keys ?? [:]
        return UnlockedClassKeys(keys: unlocked.keys.merging(others) { $1 })
    }

    /// Removes the keys that need the unlocked state, and copies the others to the next lock epoch.
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
