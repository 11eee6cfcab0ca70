// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// Direct calls of the keychain functions.
enum SecItem {
    static func copy(matching query: NSDictionary) -> (status: OSStatus, result: CFTypeRef?) {
        var result: CFTypeRef?
        let status = unsafe SecItemCopyMatching(query as CFDictionary, &result)
        return (status, result)
    }

    /// Checks for an item without reading its value.
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
