// SPDX-License-Identifier: Apache-2.0

import Crypto
package import KeychainModel

/// What is known of the person's fingers: who asked the sensor says so, and no key does.
package struct FingerEvidence: Hashable, Sendable {
    /// Whether the sensor was asked which fingers it knows.
    package var isExamined: Bool
    /// The digest of those that it knows; `nil` for none.
    package var enrolled: Bytes32?
    /// The digest of those of which it has recognized one; `nil` where it has not.
    package var recognized: Bytes32?

    package init(isExamined: Bool, enrolled: Bytes32?, recognized: Bytes32? = nil) {
        self.isExamined = isExamined
        self.enrolled = enrolled
        self.recognized = recognized
    }

    package static let none = Self(isExamined: false, enrolled: nil)

    /// What a finger proves for an item that is bound to these.
    func proofs(boundTo enrolled: Bytes32) -> PersonProofs {
        guard let recognized else { return [] }
        return recognized == enrolled ? .everyFinger : .finger
    }
}

/// What the person or the program behind one call has proved or supplied; it comes with the call and goes with it.
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

/// A password that the program itself supplies for items that demand one.
package final class ApplicationPassword: Sendable {
    private let bytes: SecretBytes

    package init(_ bytes: consuming SecretBytes) { self.bytes = bytes }

    /// Makes the key of an item's password: scrypt, tangled with the device key.
    func key(salt: Bytes32, cost: PasscodeCost, with keys: StoreKeys) throws(StatusError) -> SymmetricKey {
        try keys.passcodeKey(cost.derive(from: bytes, salt: salt))
    }
}
