// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainModel
package import PrivateFiles

/// What the person or the program behind one call has proved or supplied; it comes with the call and goes with it.
package struct Credential: Sendable {
    package let accessControlKey: AccessControlKey?
    package let applicationPassword: ApplicationPassword?

    package init(
        accessControlKey: AccessControlKey? = nil,
        applicationPassword: ApplicationPassword? = nil
    ) {
        self.accessControlKey = accessControlKey
        self.applicationPassword = applicationPassword
    }

    package static let none = Self()
}

/// A password that the program itself supplies for items that demand one.
package final class ApplicationPassword: Sendable {
    private let bytes: SecretBytes

    package init(_ bytes: consuming SecretBytes) { self.bytes = bytes }

    /// Makes the key of an item's password: scrypt, tangled with the device key.
    func key(salt: Bytes32, cost: PasscodeCost, with keys: StoreKeys) throws(KeychainError) -> SymmetricKey {
        try keys.passcodeKey(cost.derive(from: bytes, salt: salt))
    }
}
