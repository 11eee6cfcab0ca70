// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

extension AsymmetricKey: StorableObject {
    package static var itemClass: ItemClass { .key }

    package var derivedAttributes: Attributes {
        var attributes = Attributes(reservingCapacity: 24)
        attributes[.type] = .number(type.rawValue)
        attributes[.keyClass] = .number(half.rawValue)
        attributes[.applicationLabel] = .data(Array(applicationLabel))
        attributes[.keySizeInBits] = .number(Int64(bits))
        attributes[.effectiveKeySize] = .number(Int64(bits))
        for flag in flags { attributes[flag.attribute] = .number(flag.isSet ? 1 : 0) }
        return attributes
    }

    /// The external representation of the key, as the secret of its item.
    package var storedValue: SecretBuffer {
        var bytes = externalRepresentation
        return SecretBuffer(moving: &bytes)
    }

    package init?(stored value: SecretBuffer, attributes: Attributes) {
        guard let type = KeyType(attributes[.type]), let half = KeyHalf(attributes[.keyClass]) else {
            return nil
        }
        let isInToken = half == .private && attributes[.tokenID] == .string(KeyToken.identifier)
        let key =
            isInToken
            ? try? AsymmetricKey(inToken: value.data)
            : try? AsymmetricKey(type, half, representation: value.data)
        guard let key else { return nil }
        self = key
    }

    /// The flags of private keys that a token (`securityd`) keeps and never exports.
    private static let flagsInToken: [Attribute: Bool] = [
        .isSensitive: true, .wasAlwaysSensitive: true, .isExtractable: false, .wasNeverExtractable: true,
        .canDecrypt: false,
    ]

    /// The attributes for operations that Ed25519 keys do not support.
    private static let needsOtherType: [Attribute] = [
        .canEncrypt, .canDecrypt, .canDerive, .canWrap, .canUnwrap,
    ]

    /// The Boolean attributes of the key, such as its permitted operations.
    package var flags: [(attribute: Attribute, isSet: Bool)] {
        KeyFlags.table.map { row in
            if isInToken, let isSet = Self.flagsInToken[row.attribute] { return (row.attribute, isSet) }
            let isSet =
                switch (type, half) {
                case (.rsa, .private): row.privateRSA
                case (.rsa, .public): row.publicRSA
                case (.ellipticCurve, .private): row.privateEC
                case (.ellipticCurve, .public): row.publicEC
                // An Ed25519 key only signs and verifies.
                case (.ed25519, .private): row.privateEC && !Self.needsOtherType.contains(row.attribute)
                case (.ed25519, .public): row.publicEC && !Self.needsOtherType.contains(row.attribute)
                }
            return (row.attribute, isSet)
        }
    }
}

extension KeyType {
    /// Creates a key type from a value of `kSecAttrKeyType`; `nil` for other values.
    init?(_ value: AttributeValue?) {
        guard case .number(let number) = value else { return nil }
        self.init(rawValue: number)
    }
}

extension KeyHalf {
    /// Creates `public` or `private` from a value of `kSecAttrKeyClass`; `nil` for other values.
    init?(_ value: AttributeValue?) {
        guard case .number(let number) = value else { return nil }
        self.init(rawValue: number)
    }
}

/// The values of the Boolean attributes of private and public keys, by key type.
///
/// As on Apple's platforms, a public key is also marked as private, and a public RSA key as able to decrypt.
///
/// Source: Apple's published Security sources.
private enum KeyFlags {
    // swift-format-ignore
    static let table: [(attribute: Attribute, privateRSA: Bool, publicRSA: Bool, privateEC: Bool, publicEC: Bool)] = [
        (.isPermanent,         true,  true,  true,  true),
        (.isPrivate,           true,  true,  true,  true),
        (.isModifiable,        true,  true,  true,  true),
        (.isSensitive,         false, false, false, false),
        (.wasAlwaysSensitive,  false, false, false, false),
        (.isExtractable,       true,  true,  true,  true),
        (.wasNeverExtractable, false, false, false, false),
        (.canEncrypt,          false, true,  false, true),
        (.canDecrypt,          true,  true,  true,  false),
        (.canDerive,           false, false, true,  false),
        (.canSign,             true,  false, true,  false),
        (.canVerify,           false, true,  false, true),
        (.canSignRecover,      false, false, false, false),
        (.canVerifyRecover,    false, false, false, false),
        (.canWrap,             false, true,  false, true),
        (.canUnwrap,           true,  false, true,  false),
    ]
}
