// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainModel
import KeychainObjects

/// The public or private key of a pair, for signatures, encryption or key agreement.
///
/// Two objects are equal if both are the public key, or both the private key, of the same pair. The private part is in
/// memory that is erased when the last reference is released. Only ``SecKeyCopyExternalRepresentation(_:_:)``,
/// ``SecKeyCopyAttributes(_:)``, ``SecItemExport(_:_:_:_:_:)`` and keychain queries return the private part.
public final class SecKey: NSObject, ItemObject, Sendable {
    let key: AsymmetricKey
    /// The item of a private key that securityd keeps; `nil` for other keys.
    let tokenItem: TokenItem?

    init(_ key: AsymmetricKey, inToken item: TokenItem? = nil) {
        self.key = key
        tokenItem = item
    }

    var storable: any StorableObject { key }

    /// Parses the public key of a certificate; `nil` if it is malformed or unsupported.
    init?(subjectPublicKeyInfo: Data) {
        guard let key = try? AsymmetricKey(subjectPublicKeyInfo: subjectPublicKeyInfo) else { return nil }
        self.key = key
        tokenItem = nil
    }

    /// Whether both objects are the public key, or both the private key, of the same pair.
    public override func isEqual(_ object: Any?) -> Bool { (object as? SecKey)?.key == key }

    /// A hash value, which is the same for equal keys.
    public override var hash: Int { key.hashValue }

    /// A description with the type, class and size of the key, without key material.
    public override var description: String {
        let type =
            switch key.type {
            case .rsa: "RSA"
            case .ellipticCurve: "EC"
            case .ed25519: "Ed25519"
            }
        return "<SecKey: \(type) \(key.half) key, \(key.bits) bits>"
    }
}
