// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainObjects

/// What a dictionary says of a key to be made.
struct KeyParameters {
    private let dictionary: NSDictionary

    init(_ dictionary: NSDictionary) { self.dictionary = dictionary }

    /// The type, as a name or a number.
    ///
    /// A number that is no type is a mistake; a type that Apple's platforms have is only missing here.
    func type() throws -> KeyType {
        guard let number = try number(kSecAttrKeyType, .type) else { throw KeyCallError(errSecParam) }
        guard let type = KeyType(rawValue: number) else {
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

    /// The half, as a name or a number.
    func half() throws -> KeyHalf {
        guard let number = try number(kSecAttrKeyClass, .keyClass) else { throw KeyCallError(errSecParam) }
        // The number of the symmetric keys.
        guard number != 2 else { throw KeyCallError(errSecUnimplemented) }
        guard let half = KeyHalf(rawValue: number) else { throw KeyCallError(errSecParam) }
        return half
    }

    /// What to generate.
    func specification() throws -> KeySpecification {
        let type = try type()
        // A hardware key that is quietly made of software would be worse than none.
        let halves = [kSecPrivateKeyAttrs, kSecPublicKeyAttrs].map {
            dictionary.object(named: $0) as? NSDictionary
        }
        guard ([dictionary] + halves).allSatisfy({ $0?.object(named: kSecAttrTokenID) == nil }) else {
            throw KeyCallError(errSecUnimplemented)
        }
        guard let bits = try number(kSecAttrKeySizeInBits, .keySizeInBits) else {
            throw KeyCallError(errSecParam)
        }
        return try KeySpecification(type, bits: Int(clamping: bits))
    }

    /// What is said of one half: what is said of both, and over it what is said in its own dictionary.
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

    /// What says how to make the pair, and not what its halves are to be.
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
            // Names of types above the largest 32-bit number stay text.
            // "+42" and "042" are no names of the type 42.
            guard case .text(let text) = value, let number = Int64(text), String(number) == text else {
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

/// What a dictionary says of an agreement.
struct ExchangeParameters {
    private(set) var requestedSize: Int?
    private(set) var sharedInformation = Data()

    init(_ dictionary: NSDictionary) throws(KeyCallError) {
        for (key, value) in dictionary.pairs {
            // A dictionary of Swift keeps the names in their own type.
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
