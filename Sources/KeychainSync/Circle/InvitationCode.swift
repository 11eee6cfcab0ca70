// SPDX-License-Identifier: Apache-2.0

package import KeychainModel
package import KeychainStore

/// The one-time code with which a device joins a circle.
package struct InvitationCode: Sendable {
    private let code: TypedCode
    /// Names the invitation in etcd; reveals nothing about the code.
    package let identifier: Bytes16
    package let offerKey: SecretKey
    package let requestKey: SecretKey

    private init(_ code: TypedCode) {
        self.code = code
        identifier = SynchronizationCryptography.digest("kc-invitation-1", [], key: code.secret).truncated
        offerKey = SynchronizationCryptography.deriveKey("invite", from: code.secret)
        requestKey = SynchronizationCryptography.deriveKey("join", from: code.secret)
    }

    package init(bytes: [UInt8]) { self.init(TypedCode(bytes: bytes)) }

    package static func random() -> Self { Self(.random()) }

    /// Parses a typed code; `nil` if it has an invalid character, length or checksum.
    package init?(_ text: String) {
        guard let code = TypedCode(text) else { return nil }
        self.init(code)
    }

    package var exposedText: String { code.exposedText }
}
