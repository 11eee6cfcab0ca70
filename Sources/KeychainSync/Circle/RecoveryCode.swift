// SPDX-License-Identifier: Apache-2.0

package import KeychainModel
import KeychainStore

/// A code on paper that can make a device an admin of its circle, for when no admin is left.
///
/// The keys of a member with the role ``MemberRole/recovery`` are derived from the code.
package struct RecoveryCode: Sendable {
    private let code: TypedCode
    /// The name of the code's entry in etcd, see ``sealedAnchor(of:)``; reveals nothing about the code.
    package let identifier: Bytes16
    /// The keys of the code's member, derived from the code.
    package let device: DeviceKeys

    static let memberName = "recovery code"

    private init(_ code: TypedCode) {
        self.code = code
        identifier = SynchronizationCryptography.digest("kc-recovery-1", [], key: code.secret).truncated
        device = DeviceKeys(
            sign: Ed25519PrivateKey(
                seed: SynchronizationCryptography.deriveKey("recovery sign", from: code.secret)
            ),
            box: BoxPrivateKey(
                secret: SynchronizationCryptography.deriveKey("recovery box", from: code.secret)
            )
        )
    }

    package init(bytes: [UInt8]) { self.init(TypedCode(bytes: bytes)) }

    package static func random() -> Self { Self(.random()) }

    /// Parses a typed code; `nil` if it has an invalid character, length or checksum.
    package init?(_ text: String) {
        guard let code = TypedCode(text) else { return nil }
        self.init(code)
    }

    package var exposedText: String { code.exposedText }

    private var anchorKey: SecretKey {
        SynchronizationCryptography.deriveKey("recovery anchor", from: code.secret)
    }

    /// Encrypts the code's entry in etcd (the anchor): a circle's identifier, and the digest of its first manifest.
    ///
    /// With this entry, a device that has only the code finds the circle, and detects a circle that the server has
    /// forged.
    package func sealedAnchor(of first: Manifest) -> [UInt8] {
        SynchronizationCryptography.seal(
            first.circle.bytes + first.digest.bytes,
            under: anchorKey,
            associatedData: identifier.bytes
        )
    }

    /// Decrypts an anchor; `nil` if it was not sealed with this code or is malformed.
    package func anchor(opening box: [UInt8]) -> (circle: Bytes16, first: Bytes32)? {
        let plain = SynchronizationCryptography.open(box, under: anchorKey, associatedData: identifier.bytes)
        guard let plain else { return nil }
        var reader = FieldReader(plain)
        guard let circle = reader.bytes16(), let first = reader.bytes32(), reader.isAtEnd else { return nil }
        return (circle, first)
    }
}
