// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Replaces the class keys: a rotation adds new keys, re-encrypts every row, and removes the former keys.
extension Keybag {
    /// Whether the keybag has former keys, because rows may still be encrypted with them.
    var isRotating: Bool { entries.contains { $0.id.parity != parity } }

    /// Returns a keybag with a new key for each class, and the current keys; the keybag must have no former keys.
    ///
    /// `passcode` is the key of the current passcode; `nil` if no passcode is set. The returned class keys are those
    /// that a key cache stores: the current and the new keys of all classes except the `always` classes.
    ///
    /// - Throws: Errors of ``unlocked(by:)``.
    func rotated(
        by passcode: PasscodeKey?
    ) throws(StatusError) -> (keybag: Keybag, opened: UnlockedClassKeys) {
        var opened = try unlocked(by: passcode)
        var added: [Entry] = []
        for entry in entries {
            let (id, key) = (ClassKeyID(entry.id.protection, parity.other), SecretKey.random())
            if entry.wrappedBy == .passcode, let passcode {
                added.append(Self.wrap(key, of: id, under: passcode.key, .passcode))
            } else {
                added.append(Self.wrap(key, of: id, under: keys.classKeyWrapping, .device))
            }
            if id.protection.rule.available != .always { opened.keys[id] = key }
        }
        let keybag = Keybag(
            passcode: self.passcode,
            parity: parity.other,
            entries: entries + added,
            keys: keys
        )
        return (keybag, opened)
    }

    func withoutFormerKeys() -> Keybag {
        Keybag(
            passcode: passcode,
            parity: parity,
            entries: entries.filter { $0.id.parity == parity },
            keys: keys
        )
    }
}

extension UnlockedClassKeys {
    func ofParity(_ parity: KeyParity) -> Self { Self(keys: keys.filter { $0.key.parity == parity }) }
}
