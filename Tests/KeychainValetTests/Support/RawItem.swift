// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import Testing

/// A generic password that a test adds and reads without a valet.
struct RawItem {
    var service: String
    var account: Any? = "canary account"
    var value: Data? = Data("canary value".utf8)
    var more: [String: Any] = [:]

    private var identity: [String: Any] {
        var query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
            kSecUseDataProtectionKeychain as String: true,
        ]
        if let account { query[kSecAttrAccount as String] = account }
        return query.merging(more) { $1 }
    }

    func add() throws {
        var item = identity
        if let value { item[kSecValueData as String] = value }
        try #require(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
    }

    func stored() throws -> [String: Any] {
        let wanted: [String: Any] = [
            kSecReturnAttributes as String: true, kSecReturnData as String: true,
            kSecAttrSynchronizable as String: kSecAttrSynchronizableAny,
        ]
        var result: CFTypeRef?
        let query = identity.merging(wanted) { $1 }
        try #require(SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess)
        return try #require(result as? [String: Any])
    }

    /// Whether the keychain has the item, synchronizable or not.
    var exists: Bool {
        let any = [kSecAttrSynchronizable as String: kSecAttrSynchronizableAny]
        return SecItemCopyMatching(identity.merging(any) { $1 } as CFDictionary, nil) == errSecSuccess
    }
}
