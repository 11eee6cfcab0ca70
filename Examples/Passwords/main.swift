// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

let item: [String: Any] = [
    kSecClass as String: kSecClassInternetPassword, kSecAttrServer as String: "mail.example",
    kSecAttrAccount as String: "alice", kSecValueData as String: Data("correct-horse".utf8),
]
print("store: ", SecItemAdd(item as CFDictionary, nil))

let query: [String: Any] = [
    kSecClass as String: kSecClassInternetPassword, kSecMatchLimit as String: kSecMatchLimitAll,
    kSecReturnAttributes as String: true, kSecReturnData as String: true,
]
var found: CFTypeRef?
print("find:  ", SecItemCopyMatching(query as CFDictionary, &found))
for case let item in found as? [[String: Any]] ?? [] {
    let password = String(data: item[kSecValueData as String] as? Data ?? Data(), encoding: .utf8)
    print("       ", item[kSecAttrAccount as String] ?? "", item[kSecAttrServer as String] ?? "", password ?? "")
}
print("delete:", SecItemDelete([kSecClass as String: kSecClassInternetPassword] as CFDictionary))
