// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// The keybag and class keys of one lock epoch, shared by the sessions of a process.
///
/// Locking, unlocking and changing the passcode replace the whole key session. A protection class is locked
/// if its key is unavailable; there is no flag for it.
package final class KeySession: Sendable {
    package let keybag: Keybag
    /// The source of class keys that a passcode unwraps; `nil` if no passcode is set.
    let source: UnlockedKeySource?

    private struct Unwrapped: Sendable {
        /// The unwrapped class keys, by raw value of the class; index 0 is unused.
        var keys: [BoxKeys?] = Array(repeating: nil, count: 1 + ProtectionClass.allCases.count)
        /// When the keys from a key cache expire; `nil` if they do not expire.
        var limit: AutoLock?
    }

    private let unwrapped = ForkSafeMutex(Unwrapped())

    package init(_ keybag: Keybag, from source: UnlockedKeySource? = nil) {
        self.keybag = keybag
        self.source = source
    }

    /// The lock epoch; `nil` if no passcode is set.
    var epoch: Bytes16? { source?.epoch }

    /// Returns the keys that a protection class uses for boxes.
    ///
    /// - Throws: `authenticationFailed` if the class needs a passcode and none is set;
    ///   `interactionNotAllowed` if the class is locked; `undecodable` if the keybag is damaged.
    package func classKey(for protection: ProtectionClass) throws(StatusError) -> BoxKeys {
        try unwrapped.withLock { unwrapped throws(StatusError) in
            let index = Int(protection.rawValue)
            if unwrapped.limit != nil { expire(&unwrapped) }
            if let key = unwrapped.keys[index] { return key }
            let key = BoxKeys(from: try unwrap(protection, &unwrapped.limit))
            unwrapped.keys[index] = key
            return key
        }
    }

    /// Discards the keys in memory; their next use searches the key cache.
    func discard() { unwrapped.withLock { $0 = Unwrapped() } }

    /// Discards the keys of classes that need the unlocked state, if these keys have expired.
    private func expire(_ unwrapped: inout Unwrapped) {
        guard let limit = unwrapped.limit, let source, limit.isOver(by: source.clock) else { return }
        for rule in ProtectionRule.table where rule.available == .unlocked {
            unwrapped.keys[Int(rule.protection.rawValue)] = nil
        }
        unwrapped.limit = nil
    }

    private func unwrap(
        _ protection: ProtectionClass,
        _ limit: inout AutoLock?
    ) throws(StatusError) -> SecretKey {
        guard let entry = keybag.entries.first(where: { $0.protection == protection }) else {
            throw protection.rule.needsPasscode && !keybag.passcodeIsSet
                ? StatusError(.authenticationFailed, .passcodeNotSet)
                : StatusError(.interactionNotAllowed, .classKeyAbsent)
        }
        switch entry.wrappedBy {
        case .device: return try keybag.unwrap(entry, under: keybag.keys.classKeyWrapping)
        case .passcode:
            guard let source, let slot = UnlockedKeys.Slot(protection),
                let found = source.keys(in: slot, with: keybag.keys), let key = found.keys[protection]
            else { throw StatusError(.interactionNotAllowed, .classKeyAbsent) }
            if slot == .unlocked { limit = found.limit.isNone ? nil : found.limit }
            return key
        }
    }
}
