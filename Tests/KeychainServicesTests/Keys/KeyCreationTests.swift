// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

/// Creating keys from data, and key pairs from dictionaries of parameters.
@Suite struct KeyCreationTests {
    private static let type = kSecAttrKeyType as String
    private static let half = kSecAttrKeyClass as String
    private static let size = kSecAttrKeySizeInBits as String

    @Test func `SecKeyCreateWithData accepts type and class as strings and numbers`() throws {
        for pair in try [KeyPair.rsa(), .ellipticCurve(), .ellipticCurve(384), .ellipticCurve(521)] {
            for (key, number) in [(pair.private, 1), (pair.public, 0)] {
                let type = try key.isRSA ? 42 : 73
                let bytes = try key.bytes
                let forms: [Entries] = [
                    [Self.type: String(type), Self.half: String(number)],
                    [Self.type: type, Self.half: number],
                    [Self.type: NSNumber(value: type), Self.half: NSNumber(value: Int8(number))],
                    // A key size that differs from the data, and a label, are ignored.
                    [Self.type: String(type), Self.half: number, Self.size: 17, "labl": Date()],
                ]
                for form in forms {
                    let again = try failing {
                        SecKeyCreateWithData(bytes as CFData, form as CFDictionary, $0)
                    }
                    #expect(again == key)
                    #expect(again.hash == key.hash)
                    #expect(try again.bytes == bytes)
                }
            }
        }
    }

    /// Dictionaries for which `SecKeyCreateWithData` fails, and the status.
    // swift-format-ignore
    static var wrongDictionaries: [(entries: Entries, status: OSStatus)] { [
        ([:], errSecParam),
        ([type: kSecAttrKeyTypeEC], errSecParam),
        ([half: kSecAttrKeyClassPublic], errSecParam),
        ([type: kSecAttrKeyTypeEC, half: "9"], errSecParam),
        ([type: kSecAttrKeyTypeEC, half: "public"], errSecParam),
        ([type: kSecAttrKeyTypeEC, half: Data()], errSecParam),
        ([type: "EC", half: kSecAttrKeyClassPublic], errSecParam),
        ([type: 9_999, half: kSecAttrKeyClassPublic], errSecParam),
        ([type: NSNull(), half: kSecAttrKeyClassPublic], errSecParam),
        ([type: 73.5, half: kSecAttrKeyClassPublic], errSecDecode),
        ([type: kSecAttrKeyTypeEC, half: kSecAttrKeyClassSymmetric], errSecUnimplemented),
        ([type: kSecAttrKeyTypeAES, half: kSecAttrKeyClassSymmetric], errSecUnimplemented),
        ([type: kSecAttrKeyTypeEd25519, half: kSecAttrKeyClassPublic], errSecUnimplemented),
        ([type: 106, half: kSecAttrKeyClassPublic], errSecUnimplemented),
        ([type: kSecAttrKeyTypeRSA, half: kSecAttrKeyClassPublic], errSecParam),
        ([type: kSecAttrKeyTypeRSA, half: kSecAttrKeyClassPrivate], errSecParam),
        ([type: kSecAttrKeyTypeEC, half: kSecAttrKeyClassPrivate], errSecParam),
    ] }

    @Test(arguments: wrongDictionaries.indices)
    func `a dictionary that does not match the data of a point is rejected`(index: Int) throws {
        let (entries, expected) = Self.wrongDictionaries[index]
        let point = try KeyPair.ellipticCurve().public.bytes
        let status = try status { SecKeyCreateWithData(point as CFData, entries as CFDictionary, $0) }
        #expect(status == expected, "\(entries)")
    }

    @Test(arguments: [0, 1, 64, 65, 97, 294, 1_200])
    func `malformed data is rejected`(count: Int) throws {
        for type in [kSecAttrKeyTypeRSA, kSecAttrKeyTypeEC] {
            for half in [kSecAttrKeyClassPublic, kSecAttrKeyClassPrivate] {
                let entries: Entries = [Self.type: type, Self.half: half]
                let status = try status {
                    SecKeyCreateWithData(
                        Data(repeating: 0x30, count: count) as CFData,
                        entries as CFDictionary,
                        $0
                    )
                }
                #expect(status == errSecParam)
            }
        }
    }

    @Test func `an unsupported curve is distinguished from a malformed point`() throws {
        let entries: Entries = [Self.type: kSecAttrKeyTypeEC, Self.half: kSecAttrKeyClassPublic]
        let point = Data([4]) + Data(count: 56)
        let status = try status { SecKeyCreateWithData(point as CFData, entries as CFDictionary, $0) }
        #expect(status == errSecUnimplemented)
    }

    /// Parameters for which generating a key pair fails, and the status.
    // swift-format-ignore
    static var wrongParameters: [(entries: Entries, status: OSStatus)] { [
        ([:], errSecParam),
        ([type: kSecAttrKeyTypeEC], errSecParam),
        ([size: 256], errSecParam),
        ([type: kSecAttrKeyTypeEC, size: 255], errSecParam),
        ([type: kSecAttrKeyTypeEC, size: 192], errSecParam),
        ([type: kSecAttrKeyTypeEC, size: "P-256"], errSecParam),
        ([type: kSecAttrKeyTypeEC, size: -256], errSecParam),
        ([type: kSecAttrKeyTypeEC, size: Int.max], errSecParam),
        ([type: kSecAttrKeyTypeRSA, size: 512], errSecParam),
        ([type: kSecAttrKeyTypeRSA, size: 1_024], errSecParam),
        ([type: kSecAttrKeyTypeRSA, size: 2_049], errSecParam),
        ([type: kSecAttrKeyTypeRSA, size: 16_384], errSecParam),
        ([type: 5, size: 256], errSecParam),
        ([type: kSecAttrKeyTypeMLKEM, size: 768], errSecUnimplemented),
        ([type: kSecAttrKeyTypeEC, size: 256, kSecAttrTokenID as String: kSecAttrTokenIDSecureEnclave, kSecAttrIsPermanent as String: false], errSecUnimplemented),
        ([type: kSecAttrKeyTypeEC, size: 256, kSecAttrTokenID as String: "token"], errSecUnimplemented),
        ([type: kSecAttrKeyTypeEC, size: 256, kSecPublicKeyAttrs as String: [kSecAttrTokenID: "token"]], errSecUnimplemented),
        ([type: "+73", size: 256], errSecParam),
        ([type: "073", size: 256], errSecParam),
        ([type: kSecAttrKeyTypeEC, size: 256, kSecPrivateKeyAttrs as String: "permanent"], errSecParam),
        ([type: kSecAttrKeyTypeEC, size: 256, kSecPublicKeyAttrs as String: [1]], errSecParam),
        ([type: kSecAttrKeyTypeEC, size: 256, kSecAttrIsPermanent as String: Data()], errSecParam),
    ] + parametersOfDaemon }

    /// Parameters of Secure Enclave keys, for which generation fails without a daemon.
    ///
    /// The table is empty if the tests run with a daemon, which creates such keys.
    // swift-format-ignore
    private static var parametersOfDaemon: [(entries: Entries, status: OSStatus)] {
        guard ProcessInfo.processInfo.environment["KEYCHAIN_TEST_DAEMON"] == nil else { return [] }
        return [
            ([type: kSecAttrKeyTypeEC, size: 256, kSecAttrTokenID as String: kSecAttrTokenIDSecureEnclave], errSecUnimplemented),
            ([type: kSecAttrKeyTypeEC, size: 256, kSecPrivateKeyAttrs as String: [kSecAttrTokenID: kSecAttrTokenIDSecureEnclave]], errSecUnimplemented),
        ]
    }

    @Test(arguments: wrongParameters.indices)
    func `invalid parameters are rejected by both generation functions`(index: Int) throws {
        let (entries, expected) = Self.wrongParameters[index]
        #expect(try status { SecKeyCreateRandomKey(entries as CFDictionary, $0) } == expected, "\(entries)")
        var publicKey: SecKey?
        var privateKey: SecKey?
        #expect(SecKeyGeneratePair(entries as CFDictionary, &publicKey, &privateKey) == expected)
        #expect(publicKey == nil && privateKey == nil)
    }

    @Test func `a generated pair has matching keys`() throws {
        let entries: Entries = [
            Self.type: kSecAttrKeyTypeEC, Self.size: "384", kSecAttrLabel as String: "not used",
            kSecPrivateKeyAttrs as String: [kSecAttrIsPermanent as String: false],
            kSecPublicKeyAttrs as String: [kSecAttrIsPermanent as String: 0] as [String: Any],
        ]
        var publicKey: SecKey?
        var privateKey: SecKey?
        #expect(SecKeyGeneratePair(entries as CFDictionary, &publicKey, &privateKey) == errSecSuccess)
        let pair = (private: try #require(privateKey), public: try #require(publicKey))
        #expect(SecKeyCopyPublicKey(pair.private) == pair.public)
        #expect(SecKeyCopyPublicKey(pair.public) == pair.public)
        #expect(pair.private != pair.public)
        #expect(SecKeyGetBlockSize(pair.private) == 48)
        #expect(SecKeyGeneratePair(entries as CFDictionary, nil, nil) == errSecSuccess)
    }

    @Test func `the description of a key contains no key material`() throws {
        let key = try KeyPair.ellipticCurve().private
        #expect(key.description == "<SecKey: EC private key, 256 bits>")
        #expect("\(key)" == key.description)
        #expect(try KeyPair.rsa().public.debugDescription == "<SecKey: RSA public key, 2048 bits>")
    }
}
