// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport

/// A dictionary passed to a `SecItem` function.
typealias Entries = [AnyHashable: Any]

/// A password with a random account and service, and the query that finds it.
struct StoredPassword {
    let account = Canary.make("account")
    let service = Canary.make("service")
    let secret = Data(Canary.make("secret").utf8)

    var query: Entries {
        [
            kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: account,
            kSecAttrService as String: service,
        ]
    }

    @discardableResult
    func add(_ more: Entries = [:]) -> OSStatus {
        SecItemAdd(query.adding([kSecValueData as String: secret]).adding(more) as CFDictionary, nil)
    }
}

extension [AnyHashable: Any] {
    /// Returns the dictionary with further entries, which override existing ones.
    func adding(_ more: Self) -> Self { merging(more) { $1 } }
}

func find(_ query: Entries) -> (status: OSStatus, result: AnyObject?) {
    var result: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &result)
    return (status, result)
}

func add(_ item: Entries) -> (status: OSStatus, result: AnyObject?) {
    var result: CFTypeRef?
    let status = SecItemAdd(item as CFDictionary, &result)
    return (status, result)
}
