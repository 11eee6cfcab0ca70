// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainObjects

/// What each kind of key says of itself, beside its sizes and its label.
///
/// That a public key is marked private as well, and an RSA key as able to decrypt, is so on Apple's platforms.
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

    static func of(_ key: AsymmetricKey) -> [(attribute: Attribute, isSet: Bool)] {
        table.map { row in
            let isSet =
                switch (key.type, key.half) {
                case (.rsa, .private): row.privateRSA
                case (.rsa, .public): row.publicRSA
                case (.ellipticCurve, .private): row.privateEC
                case (.ellipticCurve, .public): row.publicEC
                }
            return (row.attribute, isSet)
        }
    }
}

extension SecKey {
    var derivedAttributes: Attributes {
        var attributes = Attributes(reservingCapacity: 24)
        attributes[.type] = .number(key.type.rawValue)
        attributes[.keyClass] = .number(key.half.rawValue)
        attributes[.applicationLabel] = .data(key.applicationLabel)
        attributes[.keySizeInBits] = .number(Int64(key.bits))
        attributes[.effectiveKeySize] = .number(Int64(key.bits))
        for flag in KeyFlags.of(key) { attributes[flag.attribute] = .number(flag.isSet ? 1 : 0) }
        return attributes
    }

    /// The attributes as a program gets them: names as text, flags as Booleans.
    var attributeDictionary: NSDictionary {
        let result: NSMutableDictionary = [
            kSecClass: kSecClassKey,
            kSecAttrKeyType: NSString(string: String(key.type.rawValue)),
            kSecAttrKeyClass: NSString(string: String(key.half.rawValue)),
            kSecAttrApplicationLabel: NSData(data: key.applicationLabel),
            kSecAttrKeySizeInBits: NSNumber(value: key.bits),
            kSecAttrEffectiveKeySize: NSNumber(value: key.bits),
            kSecValueData: ResultData(storedValue),
        ]
        for flag in KeyFlags.of(key) {
            result[NSString(string: flag.attribute.name)] = NSNumber(value: flag.isSet)
        }
        return result
    }
}
