// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// Sets, changes and removes a passcode by rewrapping the class keys; items are not touched.
extension Keybag {
    /// Returns a keybag whose class keys are wrapped with a new passcode's key.
    ///
    /// The keys of the `always` classes stay wrapped with a key that is derived from the device key. The class that
    /// requires a passcode gets a new key if it has none. `old` is the key of the current passcode; `nil` if no
    /// passcode is set.
    ///
    /// - Throws: Errors of ``unlocked(by:)``.
    package func wrapped(
        by new: PasscodeKey,
        insteadOf old: PasscodeKey?
    ) throws(StatusError) -> (keybag: Keybag, opened: UnlockedClassKeys) {
        var opened = try unlocked(by: old)
        for rule in ProtectionRule.table where rule.needsPasscode {
            let id = ClassKeyID(rule.protection, parity)
            if opened.keys[id] == nil { opened.keys[id] = .random() }
        }
        return (rewrapped(opened, under: new), opened)
    }

    /// Returns a keybag without a passcode, and without the keys of the class that requires a passcode.
    ///
    /// - Throws: Errors of ``unlocked(by:)``.
    package func unwrapped(from old: PasscodeKey) throws(StatusError) -> Keybag {
        try rewrapped(unlocked(by: old), under: nil)
    }

    /// Unwraps the class keys, except the keys of the `always` classes.
    ///
    /// - Throws: `authenticationFailed` with `passcodeExists` if a passcode is set and `key` is `nil`;
    ///   `undecodable` with `keybagDamaged`.
    package func unlocked(by key: PasscodeKey?) throws(StatusError) -> UnlockedClassKeys {
        var opened = UnlockedClassKeys()
        for entry in entries where entry.id.protection.rule.available != .always {
            let wrappingKey: SecretKey
            switch entry.wrappedBy {
            case .device: wrappingKey = keys.classKeyWrapping
            case .passcode:
                guard let key else { throw StatusError(.authenticationFailed, .passcodeExists) }
                wrappingKey = key.key
            }
            opened.keys[entry.id] = try unwrap(entry, under: wrappingKey)
        }
        return opened
    }

    private func rewrapped(
        _ opened: UnlockedClassKeys,
        under key: PasscodeKey?
    ) -> Keybag {
        var entries: [Entry] = []
        for rule in ProtectionRule.table {
            guard rule.available != .always else {
                entries += self.entries.filter { $0.id.protection == rule.protection }
                continue
            }
            for id in [ClassKeyID(rule.protection, parity), ClassKeyID(rule.protection, parity.other)] {
                guard let classKey = opened.keys[id] else { continue }
                if let key {
                    entries.append(Self.wrap(classKey, of: id, under: key.key, .passcode))
                } else if !rule.needsPasscode {
                    entries.append(Self.wrap(classKey, of: id, under: keys.classKeyWrapping, .device))
                }
            }
        }
        return Keybag(
            passcode: key?.derivation ?? .none,
            parity: parity,
            entries: entries,
            keys: keys
        )
    }
}

/// Unwrapped class keys, without the keys of the `always` classes.
package struct UnlockedClassKeys: Sendable {
    var keys: [ClassKeyID: SecretKey] = [:]
}
