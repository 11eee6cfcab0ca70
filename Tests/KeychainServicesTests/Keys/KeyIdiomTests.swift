// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import Testing

/// Typical uses of keys in programs for Apple's platforms, compiled and run unchanged.
@Suite struct KeyIdiomTests {
    private let tag = Data("com.example.keys.mykey".utf8)

    @Test func `a key is generated and used as in Apple's guides`() throws {
        let attributes: [String: Any] = [
            kSecAttrKeyType as String: kSecAttrKeyTypeRSA,
            kSecAttrKeySizeInBits as String: 2048,
            kSecPrivateKeyAttrs as String: [
                kSecAttrIsPermanent as String: false,
                kSecAttrApplicationTag as String: tag,
            ],
        ]
        var error: Unmanaged<CFError>?
        guard let privateKey = SecKeyCreateRandomKey(attributes as CFDictionary, &error) else {
            throw error!.takeRetainedValue() as any Error
        }
        let publicKey = try #require(SecKeyCopyPublicKey(privateKey))
        let algorithm: SecKeyAlgorithm = .rsaEncryptionOAEPSHA256AESGCM
        guard SecKeyIsAlgorithmSupported(publicKey, .encrypt, algorithm) else {
            Issue.record("not supported")
            return
        }
        let plainText = "hello"
        #expect(plainText.count < SecKeyGetBlockSize(publicKey) - 130)
        guard
            let cipherText = SecKeyCreateEncryptedData(
                publicKey,
                algorithm,
                Data(plainText.utf8) as CFData,
                &error
            ) as Data?
        else {
            throw error!.takeRetainedValue() as any Error
        }
        let clearText = SecKeyCreateDecryptedData(privateKey, algorithm, cipherText as CFData, nil) as Data?
        #expect(clearText.map { String(decoding: $0, as: UTF8.self) } == plainText)
    }

    @Test func `an error has the message of its status`() throws {
        var failure: Unmanaged<CFError>?
        #expect(SecKeyCreateRandomKey(NSDictionary(), &failure) == nil)
        let error = try #require(failure?.takeRetainedValue())
        #expect(CFErrorGetCode(error) == Int(errSecParam))
        #expect(CFErrorCopyDescription(error) == SecCopyErrorMessageString(errSecParam, nil))
    }

    @Test func `a message is signed as in typical wrapper libraries`() throws {
        let attributes: NSDictionary = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom,
            kSecAttrKeySizeInBits: 256,
        ]
        var error: Unmanaged<CFError>?
        let key = try #require(SecKeyCreateRandomKey(attributes, &error))
        let data = Data("data".utf8)
        guard
            let signature = SecKeyCreateSignature(
                key,
                SecKeyAlgorithm.ecdsaSignatureMessageX962SHA256,
                data as CFData,
                &error
            )
        else {
            throw error!.takeRetainedValue()
        }
        let publicKey = SecKeyCopyPublicKey(key)!
        #expect(
            SecKeyVerifySignature(
                publicKey,
                .ecdsaSignatureMessageX962SHA256,
                data as CFData,
                signature as Data as CFData,
                &error
            )
        )
    }

    @Test func `an error is read as in typical apps`() {
        let bytes = Data([1, 2, 3])
        var error: Unmanaged<CFError>?
        let key = SecKeyCreateWithData(
            bytes as NSData,
            [
                kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: kSecAttrKeyClassPublic,
                kSecAttrKeySizeInBits: NSNumber(value: 2048), kSecReturnPersistentRef: true,
            ] as NSDictionary,
            &error
        )
        #expect(key == nil)
        let failure = error!.takeRetainedValue() as any Error as NSError
        #expect(failure.domain == NSOSStatusErrorDomain && failure.code == Int(errSecParam))
    }

    @Test func `attributes of a key pair are read as in typical apps`() throws {
        let parameters = [
            kSecAttrKeyType as String: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits as String: 384 as NSNumber,
        ]
        var publicKey: SecKey?
        var privateKey: SecKey?
        let status = SecKeyGeneratePair(parameters as CFDictionary, &publicKey, &privateKey)
        guard status == errSecSuccess, let publicKey, privateKey != nil else {
            Issue.record("\(status)")
            return
        }
        let attributes = SecKeyCopyAttributes(publicKey) as? [String: Any]
        #expect(attributes?[kSecAttrKeyType as String] as? String == kSecAttrKeyTypeEC as String)
        #expect(attributes?[kSecAttrKeySizeInBits as String] as? Int == 384)
        #expect(attributes?[kSecAttrCanVerify as String] as? Bool == true)
        let representation = SecKeyCopyExternalRepresentation(publicKey, nil) as Data?
        #expect(representation?.count == 97)
        #expect(Set([publicKey, publicKey]).count == 1)
    }
}
