// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// Sets, changes and removes a passcode by rewrapping the class keys; items are not touched.
extension Keybag {
    /// Returns a keybag whose class keys are wrapped with a new passcode's key.
    ///
    /// The keys of the `always` classes stay wrapped with the store's key. `old` is the key of the current
    /// passcode; `nil` if no passcode is set.
    package func wrapped(
        by new: PasscodeKey,
        insteadOf old: PasscodeKey?
    ) throws(StatusError) -> (keybag: Keybag, opened: UnlockedClassKeys) {
        var opened = try unlocked(by: old)
        for rule in ProtectionRule.table where rule.needsPasscode && opened.keys[rule.protection] == nil {
            opened.keys[rule.protection] = .random()
        }
        return (rewrapped(opened, under: new), opened)
    }

    /// Returns a keybag without a passcode, and without the key of the class that requires a passcode.
    package func unwrapped(from old: PasscodeKey) throws(StatusError) -> Keybag {
        try rewrapped(unlocked(by: old), under: nil)
    }

    /// Unwraps the class keys, except the keys of the `always` classes.
    ///
    /// - Throws: `authenticationFailed` with `passcodeExists` if a passcode is set and `key` is `nil`;
    ///   `undecodable` with `keybagDamaged`.
    package func unlocked(by key: PasscodeKey?) throws(StatusError) -> UnlockedClassKeys {
        var opened = UnlockedClassKeys()
        for entry in entries where entry.protection.rule.available != .always {
            let wrappingKey: SecretKey
            switch entry.wrappedBy {
            case .device: wrappingKey = keys.classKeyWrapping
            case .passcode:
                guard let key else { throw StatusError(.authenticationFailed, .passcodeExists) }
                wrappingKey = key.key
            }
            opened.keys[entry.protection] = try unwrap(entry, under: wrappingKey)
        }
        return opened
    }

    private func rewrapped(
        _ opened: UnlockedClassKeys,
        under key: PasscodeKey?
    ) -> Keybag {
        var entries: [Entry] = []
        for rule in ProtectionRule.table {
            let old = self.entries.first { $0.protection == rule.protection }
            if rule.available == .always {
                if let old { entries.append(old) }
            } else if let classKey = opened.keys[rule.protection], let key {
                entries.append(Self.wrap(classKey, of: rule.protection, under: key.key, .passcode))
            } else if let classKey = opened.keys[rule.protection], !rule.needsPasscode {
                entries.append(
                    Self.wrap(classKey, of: rule.protection, under: keys.classKeyWrapping, .device)
                )
            }
        }
        return Keybag(passcode: key?.derivation ?? .none, entries: entries, keys: keys)
    }
}

/// The class keys unwrapped with a passcode's key, by protection class.
package struct UnlockedClassKeys: Sendable {
    var keys: [ProtectionClass: SecretKey] = [:]
}
