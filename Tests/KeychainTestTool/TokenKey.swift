// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// A private key that the daemon makes and uses, found by its label.
struct TokenKey {
    private let label: String

    init(_ label: String) { self.label = label }

    private var query: [String: Any] {
        [kSecClass as String: kSecClassKey, kSecAttrLabel as String: label]
    }

    /// Makes a key that only callers may use whose identity is established at least at this level.
    func make(_ level: SecAccessControlCreateFlags) -> OSStatus {
        let control = SecAccessControlCreateWithFlags(
            nil,
            kSecAttrAccessibleWhenUnlocked as CFTypeRef,
            [.privateKeyUsage, level],
            nil
        )
        let parameters: [String: Any] = [
            kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits as String: 256,
            kSecAttrTokenID as String: kSecAttrTokenIDSecureEnclave,
            kSecPrivateKeyAttrs as String: [
                kSecAttrIsPermanent as String: true, kSecAttrLabel as String: label,
                kSecAttrAccessControl as String: control as Any,
            ],
        ]
        var error: Unmanaged<CFError>?
        if SecKeyCreateRandomKey(parameters as CFDictionary, &error) != nil { return errSecSuccess }
        return OSStatus(error?.takeRetainedValue().code ?? Int(errSecParam))
    }

    func status(of call: String) -> OSStatus {
        switch call {
        case "make-digest": make(.minimumLevelDigest)
        case "make-group": make(.minimumLevelGroup)
        case "sign": sign()
        case "change":
            SecItemUpdate(
                query as CFDictionary,
                [kSecAttrApplicationTag as String: Data("canary".utf8)] as CFDictionary
            )
        case "delete": SecItemDelete(query as CFDictionary)
        default: errSecParam
        }
    }

    private func sign() -> OSStatus {
        var found: CFTypeRef?
        let search = query.merging([kSecReturnRef as String: true]) { $1 }
        let status = SecItemCopyMatching(search as CFDictionary, &found)
        guard status == errSecSuccess, let key = found as? SecKey else { return status }
        var error: Unmanaged<CFError>?
        let message = Data("a message".utf8) as CFData
        if SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, message, &error) != nil {
            return errSecSuccess
        }
        return OSStatus(error?.takeRetainedValue().code ?? Int(errSecParam))
    }
}
