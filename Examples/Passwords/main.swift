// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

let mail: [CFString: Any] = [kSecClass: kSecClassInternetPassword, kSecAttrServer: "mail.example"]
let alice: [CFString: Any] = [kSecAttrAccount: "alice", kSecValueData: Data("correct-horse-4".utf8)]
print("store: ", SecItemAdd(mail.merging(alice) { $1 } as CFDictionary, nil))

var found: CFTypeRef?
let all: [CFString: Any] = [
    kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true, kSecReturnData: true,
]
print("find:  ", SecItemCopyMatching(mail.merging(all) { $1 } as CFDictionary, &found))
for case let item in found as? [[String: Any]] ?? [] {
    let password = item[kSecValueData as String] as? Data ?? Data()
    print("       ", item[kSecAttrAccount as String] ?? "", String(decoding: password, as: UTF8.self))
}
print("delete:", SecItemDelete(mail as CFDictionary))
