// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

let item: [String: Any] = [
    kSecClass as String: kSecClassGenericPassword,
    kSecAttrService as String: "mail.example",
    kSecAttrAccount as String: "alice",
    kSecValueData as String: Data("correct-horse".utf8),
]
let status = SecItemAdd(item as CFDictionary, nil)
print("store: ", status)

let query: [String: Any] = [
    kSecClass as String: kSecClassGenericPassword,
    kSecAttrService as String: "mail.example",
    kSecReturnAttributes as String: true,
    kSecReturnData as String: true,
]
var found: CFTypeRef?
if SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess,
    let item = found as? [String: Any],
    let account = item[kSecAttrAccount as String] as? String,
    let password = item[kSecValueData as String] as? Data
{
    print(account, password.count)
}

let alice: [String: Any] = [
    kSecClass as String: kSecClassGenericPassword,
    kSecAttrService as String: "mail.example",
    kSecAttrAccount as String: "alice",
]
SecItemUpdate(alice as CFDictionary, [kSecValueData as String: Data("new".utf8)] as CFDictionary)
SecItemDelete(alice as CFDictionary)
print("then:  ", SecItemCopyMatching(query as CFDictionary, nil))
