// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

// This sample program is in the style of Apple's articles about keys and of typical helpers in apps.

enum Keys {
    struct Failure: Error { let text: String }

    static func generate(tag: String, type: CFString, bits: Int, permanent: Bool = true) throws -> SecKey {
        let tag = tag.data(using: .utf8)!
        let attributes: [String: Any] = [
            kSecAttrKeyType as String: type,
            kSecAttrKeySizeInBits as String: bits,
            kSecPrivateKeyAttrs as String: [
                kSecAttrIsPermanent as String: permanent, kSecAttrApplicationTag as String: tag,
            ] as [String: Any],
        ]
        var error: Unmanaged<CFError>?
        guard let privateKey = SecKeyCreateRandomKey(attributes as CFDictionary, &error) else {
            throw error!.takeRetainedValue() as Error
        }
        return privateKey
    }

    static func retrieve(tag: String) throws -> SecKey {
        let query: [String: Any] = [
            kSecClass as String: kSecClassKey,
            kSecAttrApplicationTag as String: tag.data(using: .utf8)!,
            kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom,
            kSecReturnRef as String: true,
        ]
        var item: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &item)
        guard status == errSecSuccess else { throw Failure(text: "status \(status)") }
        let key = item as! SecKey
        return key
    }

    static func store(_ key: SecKey, tag: String) -> OSStatus {
        let query: [String: Any] = [
            kSecClass as String: kSecClassKey, kSecAttrApplicationTag as String: Data(tag.utf8),
            kSecValueRef as String: key,
        ]
        return SecItemAdd(query as CFDictionary, nil)
    }

    static func export(_ key: SecKey) throws -> Data {
        var error: Unmanaged<CFError>?
        guard let data = SecKeyCopyExternalRepresentation(key, &error) as Data? else {
            throw error!.takeRetainedValue() as Error
        }
        return data
    }

    static func restore(_ data: Data, type: CFString, keyClass: CFString) throws -> SecKey {
        let options: [String: Any] = [
            kSecAttrKeyType as String: type, kSecAttrKeyClass as String: keyClass,
        ]
        var error: Unmanaged<CFError>?
        guard let key = SecKeyCreateWithData(data as CFData, options as CFDictionary, &error) else {
            throw error!.takeRetainedValue() as Error
        }
        return key
    }

    static func sign(_ data: Data, with key: SecKey, _ algorithm: SecKeyAlgorithm) throws -> Data {
        guard SecKeyIsAlgorithmSupported(key, .sign, algorithm) else { throw Failure(text: "algorithm") }
        var error: Unmanaged<CFError>?
        guard let signature = SecKeyCreateSignature(key, algorithm, data as CFData, &error) as Data? else {
            throw error!.takeRetainedValue() as Error
        }
        return signature
    }

    static func verify(_ signature: Data, of data: Data, with key: SecKey, _ algorithm: SecKeyAlgorithm)
        -> Bool
    {
        guard let publicKey = SecKeyCopyPublicKey(key) else { return false }
        var error: Unmanaged<CFError>?
        return SecKeyVerifySignature(publicKey, algorithm, data as CFData, signature as CFData, &error)
    }

    static func roundTrip(_ text: Data, with key: SecKey, _ algorithm: SecKeyAlgorithm) throws -> Data {
        guard let publicKey = SecKeyCopyPublicKey(key),
            SecKeyIsAlgorithmSupported(publicKey, .encrypt, algorithm),
            SecKeyIsAlgorithmSupported(key, .decrypt, algorithm)
        else { throw Failure(text: "algorithm") }
        var error: Unmanaged<CFError>?
        guard
            let cipherText = SecKeyCreateEncryptedData(publicKey, algorithm, text as CFData, &error) as Data?,
            let clearText = SecKeyCreateDecryptedData(key, algorithm, cipherText as CFData, &error) as Data?
        else { throw error!.takeRetainedValue() as Error }
        return clearText
    }

    static func agree(_ one: SecKey, _ other: SecKey) throws -> Data {
        guard let publicKey = SecKeyCopyPublicKey(other) else { throw Failure(text: "public key") }
        let parameters: [String: Any] = [
            SecKeyKeyExchangeParameter.requestedSize.rawValue as String: 32,
            SecKeyKeyExchangeParameter.sharedInfo.rawValue as String: Data("info".utf8),
        ]
        var error: Unmanaged<CFError>?
        guard
            let secret = SecKeyCopyKeyExchangeResult(
                one,
                .ecdhKeyExchangeStandardX963SHA256,
                publicKey,
                parameters as CFDictionary,
                &error
            ) as Data?
        else { throw error!.takeRetainedValue() as Error }
        return secret
    }

    static func describe(_ key: SecKey) -> (type: String?, bits: Int?, blockSize: Int) {
        let attributes = SecKeyCopyAttributes(key) as? [CFString: Any]
        return (
            attributes?[kSecAttrKeyType] as? String, attributes?[kSecAttrKeySizeInBits] as? Int,
            SecKeyGetBlockSize(key)
        )
    }
}
