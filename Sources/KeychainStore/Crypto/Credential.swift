// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// What is known of the user's fingers: the client of the sensor says so, and no key does.
package struct FingerEvidence: Hashable, Sendable {
    /// Whether the sensor was asked which fingers it knows.
    package var isExamined: Bool
    /// The digest of those that it knows; `nil` for none.
    package var enrolled: Bytes32?
    /// The digest of the enrolled finger set of which it has recognized one; `nil` where it has not.
    package var recognized: Bytes32?

    package init(isExamined: Bool, enrolled: Bytes32?, recognized: Bytes32? = nil) {
        self.isExamined = isExamined
        self.enrolled = enrolled
        self.recognized = recognized
    }

    package static let none = Self(isExamined: false, enrolled: nil)

    /// What a finger proves for an item that is bound to these.
    func proofs(boundTo enrolled: Bytes32) -> UserProofs {
        guard let recognized else { return [] }
        return recognized == enrolled ? .everyFinger : .finger
    }
}

/// What the user or the program behind one call has proved or supplied; it comes with the call and goes with it.
package struct Credential: Sendable {
    package let accessControlKey: AccessControlKey?
    package let applicationPassword: ApplicationPassword?
    package var finger: FingerEvidence

    package init(
        accessControlKey: AccessControlKey? = nil,
        applicationPassword: ApplicationPassword? = nil,
        finger: FingerEvidence = .none
    ) {
        self.accessControlKey = accessControlKey
        self.applicationPassword = applicationPassword
        self.finger = finger
    }

    package static let none = Self()
}

/// A password that the program itself supplies for items that demand one, with the keys derived of it so far.
///
/// Deriving takes as long as a passcode's key does, so it is never done while the store is locked or in a transaction: a
/// call that lacks a key notes it here and fails, the key is derived, and the call is repeated.
package final class ApplicationPassword: Sendable {
    private let bytes: SecretBytes
    private let derived = ForkSafeMutex(DerivedKeys())

    package init(_ bytes: consuming SecretBytes) { self.bytes = bytes }

    /// What a key is derived with, and for which store: the device key is mixed in.
    private struct Purpose: Hashable {
        let store: Bytes16
        let derivation: KeyDerivation
    }

    private struct DerivedKeys {
        var keys: [Purpose: SecretKey] = [:]
        /// What new items of a store are sealed with.
        var new: [Bytes16: KeyDerivation] = [:]
        var missing: [Purpose] = []
    }

    /// What a call fails with that lacks a key; it never reaches a caller.
    private static let keyMissing = StatusError(.internalInconsistency)

    /// The key of an item's password.
    ///
    /// - Throws: an error after which ``deriveMissing(with:)`` derives it.
    func key(_ derivation: KeyDerivation, for store: Bytes16) throws(StatusError) -> SecretKey {
        let purpose = Purpose(store: store, derivation: derivation)
        let key = derived.withLock { derived in
            if derived.keys[purpose] == nil { derived.missing.append(purpose) }
            return derived.keys[purpose]
        }
        guard let key else { throw Self.keyMissing }
        return key
    }

    /// The key that new items are sealed under.
    ///
    /// - Throws: an error after which ``deriveMissing(with:)`` derives it.
    func newKey(for store: Bytes16) throws(StatusError) -> (KeyDerivation, SecretKey) {
        let derivation = derived.withLock { derived in
            let derivation = derived.new[store] ?? KeyDerivation(salt: .random(), cost: .floor)
            derived.new[store] = derivation
            return derivation
        }
        return (derivation, try key(derivation, for: store))
    }

    /// Derives the key that new items are sealed under, unless it is there.
    func prepareForNewItems(with keys: StoreKeys) throws(StatusError) {
        if (try? newKey(for: keys.store)) == nil { _ = try deriveMissing(with: keys) }
    }

    /// Derives the keys that were missing; false where none was.
    ///
    /// Nothing may be locked: each takes a tenth of a second.
    package func deriveMissing(with keys: StoreKeys) throws(StatusError) -> Bool {
        let missing = derived.withLock { derived in
            let missing = derived.missing.filter { $0.store == keys.store }
            derived.missing.removeAll { $0.store == keys.store }
            return missing
        }
        for purpose in Set(missing) {
            let key = try keys.passcodeKey(purpose.derivation.derive(from: bytes))
            derived.withLock { $0.keys[purpose] = key }
        }
        return !missing.isEmpty
    }
}
