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
    static var itemClass: ItemClass { .key }

    let key: AsymmetricKey

    init(_ key: AsymmetricKey) { self.key = key }

    /// Rebuilds the key of an item; `nil` where its type and class are missing or its bytes make no key.
    init?(stored value: Data, attributes: Attributes) {
        guard let type = KeyType(attributes[.type]), let half = KeyHalf(attributes[.keyClass]),
            let key = try? AsymmetricKey(type, half, representation: value)
        else {
            return nil
        }
        self.key = key
    }

    /// The public key of a certificate; `nil` where it is of a kind that is not supported.
    init?(subjectPublicKeyInfo: Data) {
        guard let key = try? AsymmetricKey(subjectPublicKeyInfo: subjectPublicKeyInfo) else { return nil }
        self.key = key
    }

    /// What stands for the key outside of it, in storage that is overwritten when it goes.
    var storedValue: Data {
        var bytes = key.exposedRepresentation
        return Data(moving: &bytes)
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

extension KeyType {
    /// The type that an attribute says; `nil` for any other.
    init?(_ value: AttributeValue?) {
        guard case .number(let number) = value else { return nil }
        self.init(rawValue: number)
    }
}

extension KeyHalf {
    /// The half that an attribute says; `nil` for any other.
    init?(_ value: AttributeValue?) {
        guard case .number(let number) = value else { return nil }
        self.init(rawValue: number)
    }
}
