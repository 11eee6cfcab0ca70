// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security
import X509

/// Uses a name of swift-certificates and a call of the keychain in one target.
@main struct Main {
    static func main() throws {
        let name = try DistinguishedName { CommonName("Both") }
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "\(name)",
        ]
        guard SecItemCopyMatching(query as CFDictionary, nil) == errSecItemNotFound else { exit(1) }
        print("\(name): not found")
    }
}
