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
switch SecItemCopyMatching(query as CFDictionary, &found) {
case errSecSuccess:
    let item = found as? [String: Any]
    let account = item?[kSecAttrAccount as String] as? String ?? ""
    let password = item?[kSecValueData as String] as? Data ?? Data()
    print(account, password.count)
case errSecItemNotFound:
    print("no password: ask the user for one")
case errSecInteractionNotAllowed:
    print("locked: the password is still there; try again after an unlock")
case let status:
    print("failed: ", SecCopyErrorMessageString(status, nil) ?? "")
}

let alice: [String: Any] = [
    kSecClass as String: kSecClassGenericPassword,
    kSecAttrService as String: "mail.example",
    kSecAttrAccount as String: "alice",
]
SecItemUpdate(alice as CFDictionary, [kSecValueData as String: Data("new".utf8)] as CFDictionary)
SecItemDelete(alice as CFDictionary)
print("then:  ", SecItemCopyMatching(query as CFDictionary, nil))
