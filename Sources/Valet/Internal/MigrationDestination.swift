// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// The existing items of a migration's destination.
///
/// A destination with few items is listed once. Otherwise each key is looked up separately.
struct MigrationDestination {
    private enum Place {
        case free
        case taken(by: Data)
        /// The lookup failed with this status.
        case unknown(OSStatus)
    }

    /// The maximum number of items to list.
    private static let few = 64

    private let sandbox: Sandbox
    private let nonInteractive: LAContext?
    /// The references of all items by account bytes; `nil` if not listed.
    private let known: [[UInt8]: Data]?

    init(_ sandbox: Sandbox) {
        self.sandbox = sandbox
        nonInteractive = sandbox.hasAccessControl ? LAContext.nonInteractive() : nil
        known = Self.listing(sandbox, nonInteractive)
    }

    private static func listing(_ sandbox: Sandbox, _ nonInteractive: LAContext?) -> [[UInt8]: Data]? {
        let query = sandbox.identities.adding(kSecMatchLimit, NSNumber(value: few))
            .adding(kSecReturnAttributes, Query.yes).adding(kSecReturnPersistentRef, Query.yes).adding(
                nonInteractive
            )
        let (status, result) = SecItem.copy(matching: query.dictionary)
        if status == errSecItemNotFound { return [:] }
        let items = NSDictionary.each(of: result)
        guard status == errSecSuccess, items.count < few else { return nil }
        var known: [[UInt8]: Data] = [:]
        for item in items {
            guard let account = item.object(forKey: kSecAttrAccount as NSString) else { continue }
            guard
                let bytes = (account as? String).map({ Array($0.utf8) })
                    ?? (account as? Data).map({ Array($0) }),
                let reference = item.object(forKey: kSecValuePersistentRef as NSString) as? Data
            else { return nil }
            known[bytes] = reference
        }
        return known
    }

    /// Whether an item differs from its copy only in accessibility.
    ///
    /// - Throws: `keyToMigrateAlreadyExistsInValet` if the key has another item.
    func isPlace(of item: MigrationItem, for key: String) throws(MigrationError) -> Bool {
        switch place(for: key) {
        case .free: return false
        case .taken(by: item.reference)
        where !sandbox.hasAccessControl
            && item.accessibility != sandbox.service.configuration.accessibility.secAccessibilityAttribute:
            return true
        case .unknown(let status):
            sandbox.note(KeychainFailure(status, .migrate))
            throw .keyToMigrateAlreadyExistsInValet
        case .taken: throw .keyToMigrateAlreadyExistsInValet
        }
    }

    private func place(for key: String) -> Place {
        if let known { return known[Array(key.utf8)].map { .taken(by: $0) } ?? .free }
        let query = sandbox.identities.adding(account: key)
            .adding(kSecReturnPersistentRef, Query.yes).adding(nonInteractive)
        let (status, result) = SecItem.copy(matching: query.dictionary)
        if status == errSecItemNotFound { return .free }
        guard status == errSecSuccess else { return .unknown(status) }
        guard let reference = result as? Data else { return .unknown(errSecDecode) }
        return .taken(by: reference)
    }
}
