// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainModel
import KeychainObjects

/// Parses the dictionary that describes a key to create.
struct KeyParameters {
    private let dictionary: NSDictionary

    init(_ dictionary: NSDictionary) { self.dictionary = dictionary }

    /// Returns the key type, which the dictionary contains as a name or a number.
    ///
    /// - Throws: `errSecUnimplemented` for another type of Apple's API than RSA and the NIST curves; `errSecParam` for
    ///   a missing or unknown type.
    func type() throws -> KeyType {
        guard let number = try number(kSecAttrKeyType, .type) else { throw KeyCallError(errSecParam) }
        guard let type = KeyType(rawValue: number), type != .ed25519 else {
            let isKnown = Self.otherTypes.contains(NSString(string: String(number)))
            throw KeyCallError(isKnown ? errSecUnimplemented : errSecParam)
        }
        return type
    }

    private static var otherTypes: [NSString] {
        [
            kSecAttrKeyTypeECSECPrimeRandomPKA, kSecAttrKeyTypeSecureEnclaveAttestation,
            kSecAttrKeyTypeSecureEnclaveAnonymousAttestation, kSecAttrKeyTypeEd25519, kSecAttrKeyTypeX25519,
            kSecAttrKeyTypeEd448, kSecAttrKeyTypeX448, kSecAttrKeyTypeKyber, kSecAttrKeyTypeMLKEM,
            kSecAttrKeyTypeMLDSA, kSecAttrKeyTypeDES, kSecAttrKeyType3DES, kSecAttrKeyTypeRC2,
            kSecAttrKeyTypeRC4, kSecAttrKeyTypeDSA, kSecAttrKeyTypeCAST, kSecAttrKeyTypeAES,
        ]
    }

    /// Returns the key class, which the dictionary contains as a name or a number.
    ///
    /// - Throws: `errSecUnimplemented` for a symmetric key; `errSecParam` for a missing or unknown class.
    func half() throws -> KeyHalf {
        guard let number = try number(kSecAttrKeyClass, .keyClass) else { throw KeyCallError(errSecParam) }
        // 2 is the number of `kSecAttrKeyClassSymmetric`.
        guard number != 2 else { throw KeyCallError(errSecUnimplemented) }
        guard let half = KeyHalf(rawValue: number) else { throw KeyCallError(errSecParam) }
        return half
    }

    func specification() throws -> KeySpecification {
        let type = try type()
        guard let bits = try number(kSecAttrKeySizeInBits, .keySizeInBits) else {
            throw KeyCallError(errSecParam)
        }
        return try KeySpecification(type, bits: Int(clamping: bits))
    }

    /// Returns whether the dictionary describes a Secure Enclave key, which securityd creates and keeps.
    ///
    /// - Throws: `errSecUnimplemented` for other tokens, and for the Secure Enclave if the program does not
    ///   use securityd, because creating a key outside the requested token would be a security risk;
    ///   `errSecParam` for a Secure Enclave key that is not on P-256.
    func isInToken() throws -> Bool {
        let halves = [kSecPrivateKeyAttrs, kSecPublicKeyAttrs].map {
            dictionary.object(named: $0) as? NSDictionary
        }
        let tokens = ([dictionary] + halves).compactMap { $0?.object(named: kSecAttrTokenID) }
        guard !tokens.isEmpty else { return false }
        guard tokens.allSatisfy({ ($0 as? NSString) == kSecAttrTokenIDSecureEnclave }),
            try SystemKeychain.hasDaemon()
        else { throw KeyCallError(errSecUnimplemented) }
        guard try specification() == .ellipticCurve(.p256) else { throw KeyCallError(errSecParam) }
        return true
    }

    /// Returns the attributes of one key of the pair: the shared attributes, overridden by the key's own.
    ///
    /// Source: Apple's published Security sources.
    func attributes(of half: KeyHalf) throws -> NSMutableDictionary {
        let result = NSMutableDictionary()
        for (key, value) in dictionary.pairs where !Self.isOfThePair(key) { result.set(value, forKey: key) }
        let name = half == .private ? kSecPrivateKeyAttrs : kSecPublicKeyAttrs
        guard let own = dictionary.object(named: name) else { return result }
        guard let own = own as? NSDictionary else { throw KeyCallError(errSecParam) }
        for (key, value) in own.pairs { result.set(value, forKey: key) }
        return result
    }

    /// Whether this dictionary key names a parameter of the key pair, which is an attribute of neither key.
    private static func isOfThePair(_ key: Any) -> Bool {
        guard let key = key as? String else { return false }
        let names = [
            kSecAttrKeyType, kSecAttrKeySizeInBits, kSecPrivateKeyAttrs, kSecPublicKeyAttrs,
            kSecSymmetricKeyAttrs,
        ]
        return names.contains(NSString(string: key))
    }

    private func number(_ key: NSString, _ attribute: Attribute) throws -> Int64? {
        guard let object = dictionary.object(named: key) else { return nil }
        let value = try AttributeKind.number.convert(SuppliedValue(object), for: attribute)
        guard case .number(let number) = value else {
            // The name of a key type is its number as a decimal string. `convert` returns a string if the number
            // exceeds the 32-bit range. `Int64` also accepts "+42" and "042", which are not the name of key type 42.
            guard case .string(let text) = value, let number = Int64(text), String(number) == text else {
                throw KeyCallError(errSecParam)
            }
            return number
        }
        return number
    }
}

extension NSMutableDictionary {
    fileprivate func set(_ value: Any, forKey key: Any) {
        guard let key = key as? AnyHashable else { return }
        self[key] = value
    }
}

struct ExchangeParameters {
    private(set) var requestedSize: Int?
    private(set) var sharedInformation = Data()

    init(_ dictionary: NSDictionary) throws(KeyCallError) {
        for (key, value) in dictionary.pairs {
            // In a dictionary bridged from Swift, keys still have the type `SecKeyKeyExchangeParameter`.
            let parameter =
                key as? SecKeyKeyExchangeParameter
                ?? (key as? NSString).map { SecKeyKeyExchangeParameter(rawValue: $0) }
            switch parameter {
            case .requestedSize?:
                guard case .number(let size) = SuppliedValue(value) else { throw KeyCallError(errSecParam) }
                requestedSize = Int(clamping: size)
            case .sharedInfo?:
                guard let data = value as? Data else { throw KeyCallError(errSecParam) }
                sharedInformation = data
            default: break
            }
        }
    }
}
