// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainItems
import KeychainServices

/// Validates the queries of migrations.
///
/// The checks are those of Valet 5.1, in the same order.
enum MigrationQuery {
    static func check(_ query: [String: AnyHashable]) throws(MigrationError) {
        let isValid =
            !query.isEmpty
            && !limitsToOne(query[kSecMatchLimit as String])
            && flag(query, kSecReturnData) != true
            && flag(query, kSecReturnAttributes) != false
            && flag(query, kSecReturnRef) != true
            && flag(query, kSecReturnPersistentRef) != false
            && text(query[kSecClass as String]) == kSecClassGenericPassword as String
            && query[kSecAttrAccessControl as String] == nil
        guard isValid else { throw .invalidQuery }
    }

    private static func limitsToOne(_ limit: AnyHashable?) -> Bool {
        text(limit) == kSecMatchLimitOne as String || (limit?.base as? NSNumber)?.intValue == 1
    }

    private static func text(_ value: AnyHashable?) -> String? {
        value?.base as? String ?? (value?.base as? NSString).map { $0 as String }
    }

    private static func flag(_ query: [String: AnyHashable], _ key: CFString) -> Bool? {
        let value = query[key as String]?.base
        return value as? Bool ?? (value as? NSNumber)?.boolValue
    }
}
