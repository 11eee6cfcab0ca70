// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainItems
import KeychainServices

struct MigrationItem {
    let reference: ItemReference
    let value: Data?
    /// The account, which is a string, bytes or a number; `nil` if the item has none.
    let account: AnyHashable?
    let accessibility: String?
    let modified: Date?
    #if canImport(Darwin)
    let systemReference: Data
    #endif

    /// Returns the matching items, each with its value if it has one.
    ///
    /// - Throws: `KeychainFailure`, or `MigrationError.dataToMigrateInvalid` for an unexpected result.
    static func all(matching query: Query, _ session: AuthenticationSession?) throws -> [Self] {
        #if canImport(Darwin)
        let attributes = query.adding(kSecMatchLimit, kSecMatchLimitAll)
            .adding(kSecReturnAttributes, Query.yes).adding(kSecReturnPersistentRef, Query.yes).adding(
                session
            )
        let (status, result) = SecItem.copy(matching: attributes.dictionary)
        try SandboxCalls.check(status, .migrate)
        guard result is NSDictionary || result is NSArray else { throw MigrationError.dataToMigrateInvalid }
        return try NSDictionary.each(of: result).map { try Self($0, query, session) }
        #else
        let (status, items) = SecItemCopyPasswords(query.adding(session).dictionary)
        try SandboxCalls.check(status, .migrate)
        return try items.map { try Self($0) }
        #endif
    }

    #if canImport(Darwin)
    static func modified(_ attributes: NSDictionary) -> Date? {
        attributes.object(forKey: kSecAttrModificationDate as NSString) as? Date
    }

    private init(_ item: NSDictionary, _ query: Query, _ session: AuthenticationSession?) throws {
        guard let reference = item.object(forKey: kSecValuePersistentRef as NSString) as? Data,
            let itemReference = ItemReference(system: reference)
        else { throw KeychainFailure(.couldNotAccessKeychain, .migrate) }
        self.reference = itemReference
        systemReference = reference
        accessibility = item.object(forKey: kSecAttrAccessible as NSString) as? String
        modified = Self.modified(item)
        let account = item.object(forKey: kSecAttrAccount as NSString)
        self.account =
            (account as? String).map { AnyHashable($0) } ?? (account as? Data).map { AnyHashable($0) }
            ?? account as? AnyHashable
        // Some of Apple's platforms do not return the values of several items in one call, so each value is read by
        // the reference of its item.
        let read = Query.referring(to: reference, like: query).adding(kSecReturnData, Query.yes).adding(
            session
        )
        let (status, value) = SecItem.copy(matching: read.dictionary)
        // If the item was removed meanwhile, its value is `nil`.
        if status != errSecItemNotFound { try SandboxCalls.check(status, .migrate) }
        self.value = value as? Data
    }
    #else
    private init(_ item: SecPasswordContent) throws(KeychainFailure) {
        guard let reference = ItemReference(item.reference) else {
            throw KeychainFailure(.couldNotAccessKeychain, .migrate)
        }
        self.reference = reference
        (value, accessibility, modified) = (item.value, item.accessible, item.modified)
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
