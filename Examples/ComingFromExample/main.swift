// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

struct Failure: Error { let status: OSStatus }

/// Returns the secret of a generic password as a string; `nil` if it does not exist.
func secret(_ attributes: [CFString: Any]) throws -> String? {
    var query = attributes
    query[kSecClass] = kSecClassGenericPassword
    query[kSecReturnData] = true
    var found: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &found)
    if status == errSecItemNotFound { return nil }
    guard status == errSecSuccess, let data = found as? Data else { throw Failure(status: status) }
    return String(decoding: data, as: UTF8.self)
}

/// Stores a secret as KeychainAccess or keychain-swift does.
func store(_ secret: String, _ attributes: [CFString: Any]) {
    var item = attributes
    item[kSecClass] = kSecClassGenericPassword
    item[kSecValueData] = Data(secret.utf8)
    SecItemAdd(item as CFDictionary, nil)
}

store(
    "token-1",
    [
        kSecAttrService: "com.example.mail", kSecAttrAccount: "alice",
        kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock,
    ]
)
store("token-2", [kSecAttrAccount: "mail_alice", kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked])

// The value of "alice" in KeychainAccess's Keychain(service: "com.example.mail").
let accessToken = try secret([
    kSecAttrService: "com.example.mail",
    kSecAttrAccount: "alice",
    kSecAttrSynchronizable: kSecAttrSynchronizableAny,
])
print("KeychainAccess:", accessToken ?? "none")

// The value of "alice" in KeychainSwift(keyPrefix: "mail_").
let swiftToken = try secret([
    kSecAttrService: "",
    kSecAttrAccount: "mail_alice",
])
print("keychain-swift:", swiftToken ?? "none")

// Every account of KeychainSwift(keyPrefix: "mail_"), without the prefix.
var items: CFTypeRef?
let all: [CFString: Any] = [
    kSecClass: kSecClassGenericPassword, kSecAttrService: "",
    kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true,
]
SecItemCopyMatching(all as CFDictionary, &items)
let accounts = (items as? [[String: Any]] ?? []).compactMap { $0[kSecAttrAccount as String] as? String }
print("accounts:      ", accounts.filter { $0.hasPrefix("mail_") }.map { $0.dropFirst(5) })

// Gives an item of keychain-swift a service, so that Valet and other libraries find it.
let old: [CFString: Any] = [
    kSecClass: kSecClassGenericPassword, kSecAttrService: "", kSecAttrAccount: "mail_alice",
]
let new: [CFString: Any] = [kSecAttrService: "com.example.mail", kSecAttrAccount: "alice-2"]
print("moved:         ", SecItemUpdate(old as CFDictionary, new as CFDictionary))
print(
    "found there:   ",
    try secret([kSecAttrService: "com.example.mail", kSecAttrAccount: "alice-2"]) ?? "none"
)
