// SPDX-License-Identifier: Apache-2.0

import Foundation
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

/// An item that a migration read.
struct MigrationItem {
    let reference: Data
    let value: Data?
    /// A string, bytes or a number; `nil` without an account.
    let account: AnyHashable?
    let accessibility: String?
    /// The modification date.
    let modified: Date?

    /// The matching items, each with its value if it has one.
    ///
    /// - Throws: `KeychainFailure`, or `MigrationError.dataToMigrateInvalid` for an unexpected result.
    static func all(matching query: Query, _ context: LAContext?) throws -> [Self] {
        #if canImport(Darwin)
        let attributes = query.adding(kSecMatchLimit, kSecMatchLimitAll)
            .adding(kSecReturnAttributes, Query.yes).adding(kSecReturnPersistentRef, Query.yes).adding(
                context
            )
        let (status, result) = SecItem.copy(matching: attributes.dictionary)
        try SandboxCalls.check(status, .migrate)
        guard result is NSDictionary || result is NSArray else { throw MigrationError.dataToMigrateInvalid }
        return try NSDictionary.each(of: result).map { try Self($0, query, context) }
        #else
        let (status, items) = SecItemCopyPasswords(query.adding(context).dictionary)
        try SandboxCalls.check(status, .migrate)
        return items.map { Self($0) }
        #endif
    }

    #if canImport(Darwin)
    /// The modification date in a dictionary of attributes.
    static func modified(_ attributes: NSDictionary) -> Date? {
        attributes.object(forKey: kSecAttrModificationDate as NSString) as? Date
    }

    private init(_ item: NSDictionary, _ query: Query, _ context: LAContext?) throws {
        guard let reference = item.object(forKey: kSecValuePersistentRef as NSString) as? Data else {
            throw KeychainFailure(.couldNotAccessKeychain, .migrate)
        }
        self.reference = reference
        accessibility = item.object(forKey: kSecAttrAccessible as NSString) as? String
        modified = Self.modified(item)
        let account = item.object(forKey: kSecAttrAccount as NSString)
        self.account =
            (account as? String).map { AnyHashable($0) } ?? (account as? Data).map { AnyHashable($0) }
            ?? account as? AnyHashable
        // Some platforms do not return the values of several items at once: each is read by its reference.
        let read = Query.referring(to: reference, like: query).adding(kSecReturnData, Query.yes).adding(
            context
        )
        let (status, value) = SecItem.copy(matching: read.dictionary)
        // The item was removed meanwhile.
        if status != errSecItemNotFound { try SandboxCalls.check(status, .migrate) }
        self.value = value as? Data
    }
    #else
    private init(_ item: SecPasswordContent) {
        (reference, value, accessibility, modified) = (
            item.reference, item.value, item.accessible, item.modified
        )
        account =
            switch item.account {
            case .string(let text)?: AnyHashable(text)
            case .bytes(let bytes)?: AnyHashable(bytes)
            case .number(let number)?: AnyHashable(NSNumber(value: number))
            case nil: nil
            }
    }
    #endif
}

extension Query {
    /// A query for one item by reference, in the keychain of another query.
    static func referring(to reference: Data, like query: Query? = nil) -> Self {
        let one = Self([kSecClass as String: kSecClassGenericPassword as String])
            .adding(kSecValuePersistentRef, reference)
        let key = kSecUseDataProtectionKeychain
        return (query?.dictionary.object(forKey: key as NSString)).map { one.adding(key, $0) } ?? one
    }
}
