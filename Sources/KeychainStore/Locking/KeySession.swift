// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// The keybag and class keys of one lock epoch, shared by the sessions of an open store.
///
/// Locking, unlocking, and changing the passcode, the lock settings or the class keys start a new lock epoch, and
/// replace the whole key session. A protection class is locked if its key is unavailable; there is no flag for it.
package final class KeySession: Sendable {
    package let keybag: Keybag
    /// The source of class keys that a passcode unwraps; `nil` if no passcode is set.
    let source: UnlockedKeySource?

    private struct Unwrapped: Sendable {
        /// The unwrapped class keys, by class and by ``KeyParity``, which each rotation of the keys switches.
        var keys = InlineArray<16, BoxKeys?>(repeating: nil)
        /// When the keys that came from a key cache expire; `nil` if they do not expire.
        var limit: AutoLock?
    }

    private let unwrapped = ForkSafeMutex(Unwrapped())

    package init(_ keybag: Keybag, from source: UnlockedKeySource? = nil) {
        self.keybag = keybag
        self.source = source
    }

    /// The lock epoch; `nil` if no passcode is set.
    var epoch: Bytes16? { source?.epoch }

    /// Returns the keys that encrypt new and changed items of a protection class.
    ///
    /// - Throws: Errors of ``classKey(for:_:)``.
    package func classKey(for protection: ProtectionClass) throws(StatusError) -> BoxKeys {
        try classKey(for: protection, keybag.parity)
    }

    /// Returns the keys that decrypt rows of a protection class and a parity, the current or the former one.
    ///
    /// - Throws: `authenticationFailed` if the class needs a passcode and none is set;
    ///   `interactionNotAllowed` if the class is locked; `undecodable` if the keybag is damaged, or if it has
    ///   only the key of the other parity.
    package func classKey(
        for protection: ProtectionClass,
        _ parity: KeyParity
    ) throws(StatusError) -> BoxKeys {
        let id = ClassKeyID(protection, parity)
        return try unwrapped.withLock { unwrapped throws(StatusError) in
            let index = Self.index(of: id)
            if unwrapped.limit != nil { expire(&unwrapped) }
            if let key = unwrapped.keys[index] { return key }
            let key = BoxKeys(from: try unwrap(id, &unwrapped.limit))
            unwrapped.keys[index] = key
            return key
        }
    }

    func classKey(for columns: ItemColumns) throws(StatusError) -> BoxKeys {
        try classKey(for: columns.protection, columns.keyParity)
    }

    /// Discards the keys in memory; their next use unwraps them again or searches the key cache.
    func discard() { unwrapped.withLock { $0 = Unwrapped() } }

    /// Discards the keys of classes that are available only while the keychain is unlocked, if they have expired.
    private func expire(_ unwrapped: inout Unwrapped) {
        guard let limit = unwrapped.limit, let source, limit.isOver(by: source.clock) else { return }
        for rule in ProtectionRule.table where rule.available == .unlocked {
            for parity in [KeyParity.even, .odd] {
                unwrapped.keys[Self.index(of: ClassKeyID(rule.protection, parity))] = nil
            }
        }
        unwrapped.limit = nil
    }

    private static func index(of id: ClassKeyID) -> Int {
        Int(id.protection.rawValue) * 2 + Int(id.parity.rawValue)
    }

    private func unwrap(
        _ id: ClassKeyID,
        _ limit: inout AutoLock?
    ) throws(StatusError) -> SecretKey {
        let protection = id.protection
        guard let entry = keybag.entries.first(where: { $0.id == id }) else {
            // An intact keybag has the current key of the class and, during a rotation, also the former key. If it has
            // only one of them, either the keybag is damaged, or the row that requires the missing key is damaged.
            guard !keybag.entries.contains(where: { $0.id.protection == protection }) else {
                throw StatusError(
                    .undecodable,
                    id.parity == keybag.parity ? .keybagDamaged : .recordDamaged
                )
            }
            throw protection.rule.needsPasscode && !keybag.passcodeIsSet
                ? StatusError(.authenticationFailed, .passcodeNotSet)
                : StatusError(.interactionNotAllowed, .classKeyAbsent)
        }
        switch entry.wrappedBy {
        case .device: return try keybag.unwrap(entry, under: keybag.keys.classKeyWrapping)
        case .passcode:
            guard let source, let slot = UnlockedKeys.Slot(protection),
                let found = source.keys(in: slot, with: keybag.keys), let key = found.keys[id]
            else { throw StatusError(.interactionNotAllowed, .classKeyAbsent) }
            if slot == .unlocked { limit = found.limit.isNone ? nil : found.limit }
            return key
        }
    }
}
