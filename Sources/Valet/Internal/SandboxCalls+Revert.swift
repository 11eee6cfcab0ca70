// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// A function that only Valet's own tests call, because failed migrations of this module undo their changes.
extension SandboxCalls {
    /// Removes every key that is not in `keys`, the keys that existed before the migration.
    static func revertMigration(
        into query: [String: AnyHashable],
        keysInKeychainPreMigration keys: Set<String>
    ) {
        let place = Query(query).removing(kSecAttrAccessControl)
        let all = place.adding(kSecMatchLimit, kSecMatchLimitAll).adding(kSecReturnAttributes, Query.yes)
        for item in NSDictionary.each(of: SecItem.copy(matching: all.dictionary).result) {
            guard let key = item.object(forKey: kSecAttrAccount as NSString) as? String,
                key != canaryKey, !keys.contains(key)
            else { continue }
            _ = SecItem.deleteItems(matching: place.adding(account: key).dictionary)
        }
    }
}
