// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import KeychainModel

/// When keys that were unlocked have to go by themselves.
struct AutoLock: Hashable, Sendable {
    /// In milliseconds since the machine started; `nil` for never.
    var deadline: UInt64?
    /// How long the machine had slept when it was unlocked; `nil` where its sleep does not lock.
    var asleep: UInt64?

    /// A clock read twice is not read at one instant.
    private static let tolerance: UInt64 = 1_000

    var isNone: Bool { deadline == nil && asleep == nil }

    func isOver(by clock: LockClock) -> Bool {
        if let deadline, clock.sinceStart() >= deadline { return true }
        guard let asleep else { return false }
        // In an order that no number can overflow.
        let now = clock.asleep
        return now > asleep && now - asleep > Self.tolerance
    }
}

/// Class keys on their way to a key cache and back, sealed under a key derived from the device key.
struct UnlockedKeys: Sendable {
    /// The classes whose keys are removed together.
    enum Slot: UInt8, CaseIterable, Sendable {
        case unlocked = 1
        case afterFirstUnlock = 2

        /// `nil` for a class that is always open.
        init?(_ protection: ProtectionClass) {
            switch protection.rule.available {
            case .unlocked: self = .unlocked
            case .afterFirstUnlock: self = .afterFirstUnlock
            case .always: return nil
            }
        }
    }

    let slot: Slot
    let state: Bytes16
    let limit: AutoLock
    let keys: [ProtectionClass: SecretKey]
}

/// `version 1 | slot 1 | count 1 | flags 1 | zeros 4 | state 16 | deadline 8 | asleep 8`, then for each key `class 1 | key 32`.
extension UnlockedKeys {
    private static let version: UInt8 = 2
    private static let locksOnSleep: UInt8 = 1

    static let associatedData = Array("unlocked keys".utf8)

    func sealed(with storeKeys: StoreKeys) -> Data {
        // Room for all at once: what a growing array leaves behind is not wiped.
        var plain: [UInt8] = []
        plain.reserveCapacity(40 + ProtectionClass.allCases.count * 33)
        defer { plain.wipe() }
        plain += [
            Self.version, slot.rawValue, UInt8(clamping: keys.count),
            limit.asleep == nil ? 0 : Self.locksOnSleep, 0, 0, 0, 0,
        ]
        plain += state.bytes
        for number in [limit.deadline ?? 0, limit.asleep ?? 0] {
            unsafe withUnsafeBytes(of: number.littleEndian) { unsafe plain.append(contentsOf: $0) }
        }
        for (protection, key) in keys {
            plain.append(protection.rawValue)
            unsafe key.withBytes { unsafe plain.append(contentsOf: $0) }
        }
        return Data(Sealing.seal(plain, under: storeKeys.runtime, associatedData: Self.associatedData))
    }

    /// Opens what a key cache had; `nil` for what is not this store's, or was changed.
    init?(opening box: Data, with storeKeys: StoreKeys) {
        guard
            var plain = try? Sealing.open(
                Array(box),
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
            let flags: UInt8 = reader.number(), let _: UInt32 = reader.number(), let state = reader.bytes16(),
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
        return Self(slot: slot, state: state, limit: limit, keys: keys)
    }
}

/// Where a keybag looks for keys that a passcode has unwrapped: a key cache, as long as its keys belong to the lock state.
package struct UnlockedKeySource: Sendable {
    /// The lock state of the store; keys of any other are worth nothing.
    package let state: Bytes16
    let keyCache: KeyCache
    let clock: LockClock

    package init(state: Bytes16, keyCache: KeyCache, clock: LockClock) {
        self.state = state
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
        let result = keyCache.find(slot, of: EpochParity(state)) { box -> UnlockedKeys? in
            guard let found = UnlockedKeys(opening: box, with: storeKeys), found.slot == slot,
                found.state == state
            else { return nil }
            let isOver = found.limit.isOver(by: clock)
            if isOver { someAreOver = true }
            return isOver ? nil : found
        }
        // They do not stay where somebody who has the device key could open them.
        if someAreOver {
            keyCache.remove(slot, of: EpochParity(state)) {
                UnlockedKeys(opening: $0, with: storeKeys)?.limit.isOver(by: clock) == true
            }
        }
        return result
    }

    /// Removes what this process alone has of the state.
    package func removeOwn(with storeKeys: StoreKeys) {
        for slot in UnlockedKeys.Slot.allCases {
            keyCache.removeOwn(slot, of: EpochParity(state)) {
                UnlockedKeys(opening: $0, with: storeKeys)?.state == state
            }
        }
    }

    /// Where the keys that are unlocked are; `nil` where there are none.
    package func location(with storeKeys: StoreKeys) -> StoreStatus.KeyCache? {
        (find(.unlocked, with: storeKeys) ?? find(.afterFirstUnlock, with: storeKeys))?.location
    }

    /// Puts class keys into the key cache.
    ///
    /// - Returns: where they are; `thisProcess` where no other process can use all of them.
    /// - Throws: what the key cache throws.
    @discardableResult
    package func hold(
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
            let unlocked = UnlockedKeys(slot: slot, state: state, limit: limit, keys: keys)
            let box = unlocked.sealed(with: storeKeys)
            let seconds = slot == .unlocked ? settings.interval : nil
            try locations.append(keyCache.put(box, in: slot, of: EpochParity(state), seconds: seconds))
        }
        return locations.contains(.thisProcess) ? .thisProcess : locations[0]
    }

    /// Every key that is held, if the keychain is unlocked.
    package func held(with storeKeys: StoreKeys) -> UnlockedClassKeys? {
        guard let unlocked = keys(in: .unlocked, with: storeKeys) else { return nil }
        let others = keys(in: .afterFirstUnlock, with: storeKeys)?.keys ?? [:]
        return UnlockedClassKeys(keys: unlocked.keys.merging(others) { $1 })
    }

    /// Removes the keys that need the unlocked state, and puts the others under the next lock epoch as well.
    package func lock(to next: Bytes16, with storeKeys: StoreKeys) throws(StatusError) {
        keyCache.removeUnlocked()
        guard let kept = keys(in: .afterFirstUnlock, with: storeKeys) else { return }
        let moved = UnlockedKeys(slot: .afterFirstUnlock, state: next, limit: AutoLock(), keys: kept.keys)
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
