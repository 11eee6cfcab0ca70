// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport

/// A dictionary under construction.
typealias Entries = [AnyHashable: Any]

/// A password that a test has stored, and the query that finds it.
struct StoredPassword {
    let account = Canary.make("account")
    let service = Canary.make("service")
    let secret = Data(Canary.make("secret").utf8)

    /// The class, the account and the service.
    var query: Entries {
        [
            kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: account,
            kSecAttrService as String: service,
        ]
    }

    /// Stores the password, with more attributes if there are any.
    @discardableResult
    func add(_ more: Entries = [:]) -> OSStatus {
        SecItemAdd(query.adding([kSecValueData as String: secret]).adding(more) as CFDictionary, nil)
    }
}

extension [AnyHashable: Any] {
    /// The same dictionary with further entries, which win.
    func adding(_ more: Self) -> Self { merging(more) { $1 } }
}

/// Searches and gives both answers.
func find(_ query: Entries) -> (status: OSStatus, result: AnyObject?) {
    var result: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &result)
    return (status, result)
}

/// Adds and gives both answers.
func add(_ item: Entries) -> (status: OSStatus, result: AnyObject?) {
    var result: CFTypeRef?
    let status = SecItemAdd(item as CFDictionary, &result)
    return (status, result)
}
