// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainControl
import KeychainServices

/// A program that uses the products `KeychainServices` and `KeychainControl` with the default traits.
@main struct Main {
    static func main() {
        let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "canary"]
        guard SecItemCopyMatching(query as CFDictionary, nil) == errSecItemNotFound else { exit(1) }
        print("KeychainServices: not found")
        guard namesMissingTraits() else { exit(1) }
        print("KeychainControl: named the traits that are missing")
    }

    /// Returns whether the explanations of two failed calls name the missing traits.
    private static func namesMissingTraits() -> Bool {
        var items: CFArray?
        let archive = Data("canary".utf8) as CFData
        guard SecPKCS12Import(archive, [:] as CFDictionary, &items) == errSecUnimplemented,
            KeychainControl.lastFailure?.description.contains("PKCS12") == true
        else { return false }
        let item: [CFString: Any] = [
            kSecClass: kSecClassCertificate, kSecValueData: Data(base64Encoded: certificate) ?? Data(),
        ]
        let trusted: [CFString: Any] = [kSecClass: kSecClassCertificate, kSecMatchTrustedOnly: true]
        return SecItemAdd(item as CFDictionary, nil) == errSecSuccess
            && SecItemCopyMatching(trusted as CFDictionary, nil) == errSecUnimplemented
            && KeychainControl.lastFailure?.description.contains("Trust") == true
            && SecItemDelete(item as CFDictionary) == errSecSuccess
    }
}

/// The certificate `Tests/Fixtures/certificates/p256.der` in base64.
private let certificate = """
    MIIBMjCB2qADAgECAgEBMAoGCCqGSM49BAMCMBIxEDAOBgNVBAMMB0V4YW1wbGUwHhcNMjYxMTIxMjI0NDMwWhcNMzYxMTE4MjI0\
    NDMwWjASMRAwDgYDVQQDDAdFeGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEKYV3H8oCrf4XmERCuJZgEyQQg3rUro0H\
    T14a/HZmKQlctVXeF4anP04H9ABC/pitLRniuligzw8RbYkVSQA3f6MhMB8wHQYDVR0OBBYEFKsO5Lq6hMHvTpZRYiKXoOy7txxX\
    MAoGCCqGSM49BAMCA0cAMEQCIBlTGqNeD2yeV/s3uTu0hWrZQX3FRCLSTbGIzBZuMd50AiB5tkhLG2fN/ajcK4y8ZKOOSpTm5vW4\
    bIX++vJhDgb4xQ==
    """
