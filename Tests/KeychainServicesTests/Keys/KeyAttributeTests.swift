// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainObjects
import KeychainTestSupport
import Testing

@testable import KeychainServices

/// The attributes derived from public and private RSA and elliptic-curve keys.
@Suite struct KeyAttributeTests {
    // swift-format-ignore
    static let table: [(name: String, privateRSA: Int64, publicRSA: Int64, privateEC: Int64, publicEC: Int64)] = [
        (kSecAttrKeyClass as String,            1,    0,    1,   0),
        (kSecAttrKeyType as String,             42,   42,   73,  73),
        (kSecAttrKeySizeInBits as String,       2048, 2048, 521, 521),
        (kSecAttrEffectiveKeySize as String,    2048, 2048, 521, 521),
        (kSecAttrIsPermanent as String,         1,    1,    1,   1),
        ("priv",                      1,    1,    1,   1),
        ("modi",                      1,    1,    1,   1),
        (kSecAttrIsSensitive as String,         0,    0,    0,   0),
        ("asen",                      0,    0,    0,   0),
        (kSecAttrIsExtractable as String,       1,    1,    1,   1),
        ("next",                      0,    0,    0,   0),
        (kSecAttrCanEncrypt as String,          0,    1,    0,   1),
        (kSecAttrCanDecrypt as String,          1,    1,    1,   0),
        (kSecAttrCanDerive as String,           0,    0,    1,   0),
        (kSecAttrCanSign as String,             1,    0,    1,   0),
        (kSecAttrCanVerify as String,           0,    1,    0,   1),
        ("snrc",                      0,    0,    0,   0),
        ("vyrc",                      0,    0,    0,   0),
        (kSecAttrCanWrap as String,             0,    1,    0,   1),
        (kSecAttrCanUnwrap as String,           1,    0,    1,   0),
    ]

    private static let text = ["kcls", "type"]
    private static let numbers = ["bsiz", "esiz"]

    private func keys() throws -> [(key: SecKey, column: Int)] {
        let (rsa, curve) = (try KeyPair.rsa(), try KeyPair.ellipticCurve(521))
        return [(rsa.private, 0), (rsa.public, 1), (curve.private, 2), (curve.public, 3)]
    }

    @Test func `an item has the attributes of the table and an application label`() throws {
        for (key, column) in try keys() {
            let attributes = key.key.derivedAttributes
            for row in Self.table {
                let expected = [row.privateRSA, row.publicRSA, row.privateEC, row.publicEC][column]
                let attribute = try #require(Attribute(name: row.name))
                #expect(attributes[attribute] == .number(expected), "\(row.name) of \(key)")
            }
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            #expect(attributes[.applicationLabel] == .data(Array(try sha1(of: publicKey.bytes))))
            #expect(attributes.entries.count == Self.table.count + 1)
            #expect(try key.key.storedValue.bytes == Array(key.bytes))
            #expect(AsymmetricKey.itemClass == .key)
        }
    }

    @Test func `SecKeyCopyAttributes returns strings, numbers and Booleans`() throws {
        for (key, column) in try keys() {
            let dictionary = try #require(SecKeyCopyAttributes(key) as? [String: Any])
            for row in Self.table {
                let expected = [row.privateRSA, row.publicRSA, row.privateEC, row.publicEC][column]
                let name = row.name
                let value = try #require(dictionary[name])
                if Self.text.contains(name) {
                    #expect(value as? String == String(expected))
                } else if Self.numbers.contains(name) {
                    #expect(value as? Int == Int(expected))
                } else {
                    #expect((value as? NSNumber) == NSNumber(value: expected != 0), "\(name)")
                    #expect(value as? Bool == (expected != 0), "\(name)")
                }
            }
            #expect(dictionary[kSecClass as String] as? String == kSecClassKey as String)
            #expect(dictionary[kSecValueData as String] as? Data == (try key.bytes))
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            #expect(
                dictionary[kSecAttrApplicationLabel as String] as? Data == (try sha1(of: publicKey.bytes))
            )
            #expect(dictionary.count == Self.table.count + 3)
        }
    }

    @Test func `the value of an item can be decoded as a key`() throws {
        for (key, _) in try keys() {
            let again = try #require(
                AsymmetricKey(stored: key.key.storedValue, attributes: key.key.derivedAttributes)
            )
            #expect(again == key.key)
        }
    }

    @Test func `an item with wrong attributes or a malformed value gives no key`() throws {
        for (key, _) in try keys() {
            for attribute in [Attribute.type, .keyClass] {
                for value: AttributeValue? in [nil, .number(0), .number(5), .string("RSA"), .data([1])] {
                    var attributes = key.key.derivedAttributes
                    guard attributes[attribute] != value else { continue }
                    attributes[attribute] = value
                    #expect(AsymmetricKey(stored: key.key.storedValue, attributes: attributes) == nil)
                }
            }
            let bytes = key.key.storedValue.bytes
            for wrong in [[], bytes.dropLast(), bytes + [0]] {
                let value = SecretBuffer(wrong)
                #expect(AsymmetricKey(stored: value, attributes: key.key.derivedAttributes) == nil)
            }
        }
    }

    @Test func `a certificate's key is parsed from its SubjectPublicKeyInfo`() throws {
        let folder = try OpenSSLFolder()
        for options in ["EC -pkeyopt ec_paramgen_curve:P-256", "RSA", "ed25519", "ed448"] {
            try folder.openssl("genpkey -algorithm \(options) -out key.pem")
            let info = try folder.openssl("pkey -in key.pem -pubout -outform DER")
            let key = SecKey(subjectPublicKeyInfo: info)
            #expect((key == nil) == (options == "ed448"))
            #expect(SecKey(subjectPublicKeyInfo: info.dropLast()) == nil)
            guard let key else { continue }
            #expect(try !key.isPrivate)
            // A SubjectPublicKeyInfo ends with the bits of the key.
            #expect(try info.suffix(key.bytes.count) == key.bytes)
        }
    }

    private func sha1(of data: Data) throws -> Data {
        let folder = try OpenSSLFolder()
        try folder.write(data, to: "data")
        return try folder.openssl("dgst -sha1 -binary data")
    }
}
