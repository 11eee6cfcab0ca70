// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// The keybag and the class keys of one lock epoch, shared by the sessions of a process.
///
/// A lock, an unlock and a change of the passcode replace it as a whole. A class is locked if its key is not available;
/// there is no flag.
package final class KeySession: Sendable {
    package let keybag: Keybag
    /// Where class keys are that a passcode has unwrapped; `nil` if no passcode is set.
    let source: UnlockedKeySource?

    private struct Unwrapped: Sendable {
        /// The class keys unwrapped so far, by the number of the class; index 0 is unused.
        var keys: [BoxKeys?] = Array(repeating: nil, count: 1 + ProtectionClass.allCases.count)
        /// When keys that came from a key cache expire.
        var limit: AutoLock?
    }

    private let unwrapped = ForkSafeMutex(Unwrapped())

    package init(_ keybag: Keybag, from source: UnlockedKeySource? = nil) {
        self.keybag = keybag
        self.source = source
    }

    /// The lock epoch; `nil` if no passcode is set.
    var epoch: Bytes16? { source?.state }

    /// The key of a protection class.
    ///
    /// - Throws: `authenticationFailed` if the class needs a passcode and none is set; `interactionNotAllowed` if the class
    ///   is locked; `undecodable` if the keybag is damaged.
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

    /// Discards the keys in memory; the next use looks for them in the key cache.
    func discard() { unwrapped.withLock { $0 = Unwrapped() } }

    /// Discards the keys of the classes that need the unlocked state if their time is over.
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
