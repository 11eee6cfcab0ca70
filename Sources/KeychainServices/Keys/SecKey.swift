// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainModel
import KeychainObjects

/// A key for signatures, encryption or agreement: half of a pair.
///
/// Two of them are equal if they are the same half of the same pair. The private part is in memory that is
/// overwritten when the last reference goes; it leaves only through
/// ``SecKeyCopyExternalRepresentation(_:_:)``, ``SecKeyCopyAttributes(_:)`` and the keychain.
public final class SecKey: NSObject, ItemObject, Sendable {
    let key: AsymmetricKey

    init(_ key: AsymmetricKey) { self.key = key }

    var storable: any StorableObject { key }

    /// The public key of a certificate; `nil` where it is of a kind that is not supported.
    init?(subjectPublicKeyInfo: Data) {
        guard let key = try? AsymmetricKey(subjectPublicKeyInfo: subjectPublicKeyInfo) else { return nil }
        self.key = key
    }

    /// Whether the other object is the same half of the same pair.
    public override func isEqual(_ object: Any?) -> Bool { (object as? SecKey)?.key == key }

    /// A number that equal keys share.
    public override var hash: Int { key.hashValue }

    /// The type, the half and the size; nothing of the key itself.
    public override var description: String {
        let type = key.type == .rsa ? "RSA" : "EC"
        return "<SecKey: \(type) \(key.half) key, \(key.bits) bits>"
    }
}
