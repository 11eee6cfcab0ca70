// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// A part of an app: stores the token of a session in the keychain.
///
/// It has no code for tests.
struct Session {
    enum Failure: Error, Equatable {
        case locked, cancelled
        case keychain(OSStatus)
    }

    let account: String
    /// Whether the user must be present to use the token.
    var needsPresence = false

    private var query: [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: "mail.example",
            kSecAttrAccount as String: account,
        ]
    }

    /// Stores a token, replacing an existing one.
    func save(_ token: String) throws(Failure) {
        let value = [kSecValueData as String: Data(token.utf8)]
        var status = SecItemUpdate(query as CFDictionary, value as CFDictionary)
        if status == errSecItemNotFound {
            var item: [String: Any] = query.merging(value) { $1 }
            item[kSecAttrAccessControl as String] = accessControl
            status = SecItemAdd(item as CFDictionary, nil)
        }
        try check(status)
    }

    private var accessControl: SecAccessControl? {
        let flags: SecAccessControlCreateFlags = needsPresence ? .userPresence : []
        return SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, flags, nil)
    }

    /// Returns the token; `nil` if none is stored.
    func token() throws(Failure) -> String? {
        var search = query
        search[kSecReturnData as String] = true
        var found: CFTypeRef?
        let status = SecItemCopyMatching(search as CFDictionary, &found)
        if status == errSecItemNotFound { return nil }
        try check(status)
        return (found as? Data).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Removes the token.
    func end() throws(Failure) {
        let status = SecItemDelete(query as CFDictionary)
        if status != errSecItemNotFound { try check(status) }
    }

    private func check(_ status: OSStatus) throws(Failure) {
        switch status {
        case errSecSuccess: return
        case errSecInteractionNotAllowed: throw .locked
        case errSecUserCanceled: throw .cancelled
        default: throw .keychain(status)
        }
    }
}
