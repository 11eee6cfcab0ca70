// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// The functions of the keychain, and nothing around them.
enum SecItem {
    static func copy(matching query: NSDictionary) -> (status: OSStatus, result: CFTypeRef?) {
        var result: CFTypeRef?
        let status = unsafe SecItemCopyMatching(query as CFDictionary, &result)
        return (status, result)
    }

    /// Whether an item is there, which reads no value.
    static func containsObject(matching query: NSDictionary) -> OSStatus {
        SecItemCopyMatching(query as CFDictionary, nil)
    }

    static func add(attributes: NSDictionary) -> OSStatus {
        SecItemAdd(attributes as CFDictionary, nil)
    }

    static func update(attributes: NSDictionary, forItemsMatching query: NSDictionary) -> OSStatus {
        SecItemUpdate(query as CFDictionary, attributes as CFDictionary)
    }

    static func deleteItems(matching query: NSDictionary) -> OSStatus {
        SecItemDelete(query as CFDictionary)
    }
}
