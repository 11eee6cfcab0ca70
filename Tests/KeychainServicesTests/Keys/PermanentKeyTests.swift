// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

/// Keys that are stored when they are generated.
@Suite(.searchedKeychain) struct PermanentKeyTests {
    private let tag = Data(Canary.make("tag").utf8)
    private let label = Canary.make("label")

    private var query: Entries {
        [
            kSecClass as String: kSecClassKey, kSecAttrApplicationTag as String: tag,
            kSecReturnRef as String: true,
        ]
    }

    private func found(_ half: CFString) -> (status: OSStatus, key: SecKey?) {
        let (status, result) = find(query.adding([kSecAttrKeyClass as String: half]))
        return (status, result as? SecKey)
    }

    @Test func `by default, generated keys are not stored`() throws {
        _ = try KeyPair.ellipticCurve(256, [kSecAttrApplicationTag as String: tag])
        #expect(find(query).status == errSecItemNotFound)
    }

    @Test func `attributes of the pair apply to both keys`() throws {
        let pair = try KeyPair.ellipticCurve(
            256,
            [
                kSecAttrIsPermanent as String: true, kSecAttrApplicationTag as String: tag,
                kSecAttrLabel as String: label,
            ]
        )
        #expect(found(kSecAttrKeyClassPrivate).key == pair.private)
        #expect(found(kSecAttrKeyClassPublic).key == pair.public)
        let all = find(
            query.adding([kSecAttrLabel as String: label, kSecMatchLimit as String: kSecMatchLimitAll])
        )
        #expect((all.result as? [AnyObject])?.count == 2)
    }

    @Test func `attributes of one key override those of the pair`() throws {
        let pair = try KeyPair.rsa([
            kSecAttrLabel as String: "of the pair",
            kSecPrivateKeyAttrs as String: [
                kSecAttrIsPermanent as String: true, kSecAttrApplicationTag as String: tag,
                kSecAttrLabel as String: label,
            ] as [String: Any],
        ])
        #expect(found(kSecAttrKeyClassPrivate).key == pair.private)
        #expect(found(kSecAttrKeyClassPublic).status == errSecItemNotFound)
        let attributes = find(query.adding([kSecReturnAttributes as String: true])).result as? [String: Any]
        #expect(attributes?[kSecAttrLabel as String] as? String == label)
        #expect(attributes?[kSecAttrKeySizeInBits as String] as? Int == 2_048)
        #expect(
            attributes?[kSecAttrApplicationLabel as String] as? Data
                == (SecKeyCopyAttributes(pair.public) as? [String: Any])?[kSecAttrApplicationLabel as String]
                as? Data
        )
    }

    @Test func `SecKeyGeneratePair also stores the keys that are permanent`() throws {
        var publicKey: SecKey?
        var privateKey: SecKey?
        let parameters: Entries = [
            kSecAttrKeyType as String: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits as String: 521,
            kSecPublicKeyAttrs as String: [
                kSecAttrIsPermanent as String: true, kSecAttrApplicationTag as String: tag,
            ] as [String: Any],
        ]
        #expect(SecKeyGeneratePair(parameters as CFDictionary, &publicKey, &privateKey) == errSecSuccess)
        #expect(found(kSecAttrKeyClassPublic).key == publicKey)
        #expect(found(kSecAttrKeyClassPrivate).status == errSecItemNotFound)
    }

    @Test func `if the second key cannot be stored, neither is`() throws {
        let parameters: Entries = [
            kSecAttrKeyType as String: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits as String: 256,
            kSecAttrIsPermanent as String: true, kSecAttrApplicationTag as String: tag,
            kSecPublicKeyAttrs as String: [kSecAttrAccessGroup as String: "TEAM.other"],
        ]
        #expect(
            try status { SecKeyCreateRandomKey(parameters as CFDictionary, $0) } == errSecMissingEntitlement
        )
        #expect(find(query).status == errSecItemNotFound)
    }

    @Test func `an attribute that keys do not have is rejected`() throws {
        let parameters: Entries = [
            kSecAttrKeyType as String: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits as String: 256,
            kSecAttrIsPermanent as String: true, kSecAttrService as String: "service",
        ]
        #expect(try status { SecKeyCreateRandomKey(parameters as CFDictionary, $0) } == errSecNoSuchAttr)
    }

    @Test func `a stored key signs after it is found`() throws {
        let pair = try KeyPair.ellipticCurve(
            256,
            [
                kSecPrivateKeyAttrs as String: [
                    kSecAttrIsPermanent as String: true, kSecAttrApplicationTag as String: tag,
                ] as [String: Any]
            ]
        )
        let key = try #require(found(kSecAttrKeyClassPrivate).key)
        let message = Data("message".utf8) as CFData
        let algorithm = SecKeyAlgorithm.ecdsaSignatureMessageX962SHA256
        let signature = try failing { SecKeyCreateSignature(key, algorithm, message, $0) }
        #expect(SecKeyVerifySignature(pair.public, algorithm, message, signature, nil))
    }
}
