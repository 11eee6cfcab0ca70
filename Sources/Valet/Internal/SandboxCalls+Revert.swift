// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// An internal function of the original Valet, present so that the original's tests compile.
///
/// Only tests call it: a failed migration of this module has already undone its changes.
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
