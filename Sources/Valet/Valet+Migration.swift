// SPDX-License-Identifier: Apache-2.0

import KeychainServices

/// Migrates items of other programs and of other valets.
///
/// A migration checks every item before it writes, and writes all items or none. On Linux it is one transaction,
/// so this is also true if the program is killed.
extension Valet {
    /// Copies the items that match a query, converting each with a closure.
    ///
    /// The original items are kept. An item that differs from its copy only in accessibility is updated in place
    /// instead of copied. This occurs only with explicitly set identifiers. If the closure returns another value
    /// for such an item, the migration fails with `keyToMigrateAlreadyExistsInValet`.
    ///
    /// - Parameters:
    ///   - query: Attributes of generic passwords, including `kSecClass`.
    ///   - compactMap: Receives the account and the value of an item. Returns the key and the value to store,
    ///     or `nil` to skip the item. If it throws, the migration ends without changes. If an item is changed
    ///     by another program meanwhile, the closure is called again for every item.
    /// - Throws: ``MigrationError``, ``KeychainError``, or the error of the closure.
    public func migrateObjects(
        matching query: [String: AnyHashable],
        compactMap: (MigratableKeyValuePair<AnyHashable>) throws -> MigratableKeyValuePair<String>?
    ) throws {
        try sandbox.reportingAny { try Migration(query: query, destination: sandbox).run(compactMap) }
    }

    /// Migrates the items that match a query.
    ///
    /// Items with an access control, and items whose account is not a string, cannot be migrated.
    ///
    /// - Parameters:
    ///   - query: Attributes of generic passwords, including `kSecClass`.
    ///   - removeOnCompletion: Whether to remove the items that were copied. All other matching items are
    ///     kept. If another program changes an item before it is removed, the migration starts again.
    /// - Throws: ``MigrationError`` or ``KeychainError``; `KeychainError.itemNotFound` if no item matches.
    public func migrateObjects(matching query: [String: AnyHashable], removeOnCompletion: Bool) throws {
        try sandbox.migrate(query, removeOnCompletion)
    }

    /// Copies the values of another valet, converting each with a closure.
    ///
    /// The original values are kept. Between valets with the same explicitly set identifier, the migration changes
    /// the accessibility of each value in place; if the closure returns another value, the migration fails with
    /// `keyToMigrateAlreadyExistsInValet`.
    ///
    /// - Parameters:
    ///   - valet: The other valet.
    ///   - compactMap: See ``migrateObjects(matching:compactMap:)``.
    /// - Throws: The errors of ``migrateObjects(matching:compactMap:)``.
    public func migrateObjects(
        from valet: Valet,
        compactMap: (MigratableKeyValuePair<AnyHashable>) throws -> MigratableKeyValuePair<String>?
    ) throws {
        try migrateObjects(matching: valet.baseKeychainQuery, compactMap: compactMap)
    }

    /// Migrates the values of another valet.
    ///
    /// Between valets with the same explicitly set identifier, the migration changes the accessibility of each value
    /// in place.
    ///
    /// - Parameters:
    ///   - valet: The other valet.
    ///   - removeOnCompletion: Whether to remove the original items.
    /// - Throws: The errors of ``migrateObjects(matching:removeOnCompletion:)``.
    public func migrateObjects(from valet: Valet, removeOnCompletion: Bool) throws {
        try sandbox.migrate(valet.baseKeychainQuery, removeOnCompletion)
    }

    /// Migrates values of the always-accessible valet of Valet 3 and earlier.
    ///
    /// - Parameter removeOnCompletion: Whether to remove the original items.
    /// - Throws: The errors of ``migrateObjects(matching:removeOnCompletion:)``.
    public func migrateObjectsFromAlwaysAccessibleValet(removeOnCompletion: Bool) throws {
        try sandbox.migrate(service.alwaysAccessible("AccessibleAlways", "dk"), removeOnCompletion)
    }

    /// Migrates values of the always-accessible, device-only valet of Valet 3 and earlier.
    ///
    /// - Parameter removeOnCompletion: Whether to remove the original items.
    /// - Throws: The errors of ``migrateObjects(matching:removeOnCompletion:)``.
    public func migrateObjectsFromAlwaysAccessibleThisDeviceOnlyValet(removeOnCompletion: Bool) throws {
        try sandbox.migrate(
            service.alwaysAccessible("AccessibleAlwaysThisDeviceOnly", "dku"),
            removeOnCompletion
        )
    }

    #if os(macOS)
    /// Copies the values from the keychain file of macOS before 10.15.
    ///
    /// The originals are kept.
    ///
    /// - Throws: The errors of ``migrateObjects(matching:removeOnCompletion:)``.
    @available(macOS 10.15, *)
    public func migrateObjectsFromPreCatalina() throws {
        var query = baseKeychainQuery
        query[kSecUseDataProtectionKeychain as String] = false
        try sandbox.migrate(query, false)
    }
    #endif
}

extension Service {
    /// The query for the items of an always-accessible valet, a kind that Valet 4 removed.
    func alwaysAccessible(_ accessibility: String, _ attribute: String) -> [String: AnyHashable] {
        var query = attributes
        query[kSecAttrService as String] = name(accessibility: accessibility)
        query[kSecAttrAccessible as String] = attribute
        #if os(macOS)
        // Always-accessible items are in the keychain file of macOS, not in the data protection keychain.
        query[kSecUseDataProtectionKeychain as String] = nil
        #endif
        return query
    }
}
