// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// The `SecItem` functions, for the queries of migrations.
enum SecItem {
    static func copy(matching query: NSDictionary) -> (status: OSStatus, result: CFTypeRef?) {
        var result: CFTypeRef?
        let status = unsafe SecItemCopyMatching(query as CFDictionary, &result)
        return (status, result)
    }

    static func update(attributes: NSDictionary, forItemsMatching query: NSDictionary) -> OSStatus {
        SecItemUpdate(query as CFDictionary, attributes as CFDictionary)
    }

    static func deleteItems(matching query: NSDictionary) -> OSStatus {
        SecItemDelete(query as CFDictionary)
    }
}
