// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// The fingerprint sensor's state as the client reports it, without cryptographic proof.
package struct FingerEvidence: Hashable, Sendable {
    /// Whether the sensor was queried for the enrolled fingers.
    package var isExamined: Bool
    /// The digest of the set of enrolled fingers; `nil` if no finger is enrolled.
    package var enrolled: Bytes32?
    /// The digest of the enrolled finger set in which a finger was recognized; `nil` if no finger was recognized.
    package var recognized: Bytes32?

    package init(isExamined: Bool, enrolled: Bytes32?, recognized: Bytes32? = nil) {
        self.isExamined = isExamined
        self.enrolled = enrolled
        self.recognized = recognized
    }

    package static let none = Self(isExamined: false, enrolled: nil)

    /// Returns what the recognized finger proves for an item bound to the given set of enrolled fingers.
    func proofs(boundTo enrolled: Bytes32) -> UserProofs {
        guard let recognized else { return [] }
        return recognized == enrolled ? .everyFinger : .finger
    }
}

/// The authentication results and credentials of one call.
package struct Credential: Sendable {
    private final class Contents: Sendable {
        let accessControlKey: AccessControlKey?
        let applicationPassword: ApplicationPassword?
        let finger: FingerEvidence
        let level: CallerLevel

        init(
            _ key: AccessControlKey?,
            _ password: ApplicationPassword?,
            _ finger: FingerEvidence,
            _ level: CallerLevel
        ) {
            accessControlKey = key
            applicationPassword = password
            self.finger = finger
            self.level = level
        }
    }

    /// The values of the properties below; `nil` if all of them have their default values, as in most calls.
    ///
    /// Copying a credential copies only this reference.
    private var contents: Contents?

    package var accessControlKey: AccessControlKey? { contents?.accessControlKey }

    package var applicationPassword: ApplicationPassword? { contents?.applicationPassword }

    package var finger: FingerEvidence {
        get { contents?.finger ?? .none }
        set { contents = Contents(accessControlKey, applicationPassword, newValue, level) }
    }

    /// The level at which the daemon has identified the caller; `embedded` if no daemon is used.
    package var level: CallerLevel { contents?.level ?? .embedded }

    package init(
        accessControlKey: AccessControlKey? = nil,
        applicationPassword: ApplicationPassword? = nil,
        finger: FingerEvidence = .none,
        level: CallerLevel = .embedded
    ) {
        guard
            accessControlKey != nil || applicationPassword != nil || finger != .none || level != .embedded
        else { return }
        contents = Contents(accessControlKey, applicationPassword, finger, level)
    }

    private init(_ contents: Contents?) { self.contents = contents }

    /// The credential of a call without authentication.
    package static var none: Self { Self(nil) }
}

/// An application password, and the keys derived from it so far.
///
/// Key derivation takes a tenth of a second, so it never runs inside a lock or a transaction. A call that
/// needs a missing key records the derivation's parameters and fails. The key is then derived outside of
/// locks, and the call is repeated.
package final class ApplicationPassword: Sendable {
    private let bytes: SecretBytes
    private let derived = ForkSafeMutex(DerivedKeys())

    package init(_ bytes: consuming SecretBytes) { self.bytes = bytes }

    /// A copy of the password, to send to the daemon.
    package func copy() -> SecretBytes { SecretBytes(copying: bytes) }

    /// Identifies a derived key: the parameters, and the store whose device key is mixed in.
    private struct Purpose: Hashable {
        let store: Bytes16
        let derivation: KeyDerivation
    }

    private struct DerivedKeys {
        var keys: [Purpose: SecretKey] = [:]
        /// The derivation parameters for new items, by the identifier of the store.
        var new: [Bytes16: KeyDerivation] = [:]
        var missing: [Purpose] = []
    }

    /// The error for a key that is not derived yet; the store then derives the key and repeats the call.
    private static let keyMissing = StatusError(.internalInconsistency)

    /// Returns the key derived with an existing item's parameters.
    ///
    /// - Throws: An error if the key is not derived yet; the next call of ``deriveMissing(with:)`` derives it.
    func key(_ derivation: KeyDerivation, for store: Bytes16) throws(StatusError) -> SecretKey {
        let purpose = Purpose(store: store, derivation: derivation)
        let key = derived.withLock { derived in
            if derived.keys[purpose] == nil { derived.missing.append(purpose) }
            return derived.keys[purpose]
        }
        guard let key else { throw Self.keyMissing }
        return key
    }

    /// Returns the key for new items, and the parameters from which it was derived.
    ///
    /// - Throws: An error if the key is not derived yet; the next call of ``deriveMissing(with:)`` derives it.
    func newKey(for store: Bytes16) throws(StatusError) -> (KeyDerivation, SecretKey) {
        let derivation = derived.withLock { derived in
            let derivation = derived.new[store] ?? KeyDerivation(salt: .random(), cost: .minimum)
            derived.new[store] = derivation
            return derivation
        }
        return (derivation, try key(derivation, for: store))
    }

    /// Derives the key for new items and other missing keys, unless the key for new items exists.
    func prepareForNewItems(with keys: StoreKeys) throws(StatusError) {
        if (try? newKey(for: keys.store)) == nil { _ = try deriveMissing(with: keys) }
    }

    /// Derives the missing keys that earlier calls recorded; returns false if none was recorded for this store.
    ///
    /// Call this function without holding locks: each derivation takes a tenth of a second.
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
