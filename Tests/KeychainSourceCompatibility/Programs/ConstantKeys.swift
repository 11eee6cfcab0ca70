// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

// This sample program consists of short helpers of an app: dictionaries of type `[CFString: Any]`, deleting
// before adding, and optional results.

struct TokenHelper {
    static let service = "com.example.TokenHelper"

    @discardableResult
    static func save(key: String, data: Data) -> OSStatus {
        let query =
            [
                kSecClass: kSecClassGenericPassword,
                kSecAttrService: service,
                kSecAttrAccount: key,
                kSecValueData: data,
                kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ] as [CFString: Any]
        SecItemDelete(query as CFDictionary)
        return SecItemAdd(query as CFDictionary, nil)
    }

    static func load(key: String) -> Data? {
        let query =
            [
                kSecClass as String: kSecClassGenericPassword,
                kSecAttrService as String: service,
                kSecAttrAccount as String: key,
                kSecReturnData as String: kCFBooleanTrue!,
                kSecMatchLimit as String: kSecMatchLimitOne,
            ] as [String: Any]
        var dataTypeRef: AnyObject? = nil
        let status: OSStatus = SecItemCopyMatching(query as CFDictionary, &dataTypeRef)
        if status == noErr { return dataTypeRef as! Data? }
        return nil
    }

    static func exists(key: String) -> Bool {
        let query: NSDictionary = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: key,
            kSecReturnData: false,
        ]
        return SecItemCopyMatching(query, nil) == errSecSuccess
    }

    static func all() -> [String: String] {
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword,
            kSecAttrService: service,
            kSecMatchLimit: kSecMatchLimitAll,
            kSecReturnAttributes: kCFBooleanTrue as Any,
            kSecReturnData: kCFBooleanTrue as Any,
        ]
        var items: CFTypeRef?
        guard SecItemCopyMatching(query as CFDictionary, &items) == errSecSuccess else { return [:] }
        var values: [String: String] = [:]
        for item in (items as? [[CFString: Any]]) ?? [] {
            if let key = item[kSecAttrAccount] as? String, let value = item[kSecValueData] as? Data {
                values[key] = String(data: value, encoding: .utf8)
            }
        }
        return values
    }

    static func deleteAll() {
        for itemClass in [kSecClassGenericPassword, kSecClassInternetPassword] {
            SecItemDelete([kSecClass: itemClass] as CFDictionary)
        }
    }
}
