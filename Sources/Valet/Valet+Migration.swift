// SPDX-License-Identifier: Apache-2.0

import KeychainServices

/// Copying what others have stored, and what valets of another kind keep.
///
/// A migration decides about every item before it writes. It writes all or nothing: on Linux in one transaction, so that
/// a program which is killed has migrated everything or nothing.
extension Valet {
    /// Copies what a function makes of each item that a query finds; the items stay.
    ///
    /// An item that is this valet's but for its accessibility, as only explicitly set identifiers have them, is where its
    /// copy would be: its accessibility changes, and another value for it is `keyToMigrateAlreadyExistsInValet`.
    ///
    /// - Parameters:
    ///   - query: Attributes of generic passwords, `kSecClass` among them.
    ///   - compactMap: Takes the account and the value of an item; answers the key and the value to keep, or `nil` for
    ///     nothing. What it throws ends the migration, with nothing changed. It is asked anew for every item if one was
    ///     changed in between.
    /// - Throws: ``MigrationError``, ``KeychainError``, or what the function throws.
    public func migrateObjects(
        matching query: [String: AnyHashable],
        compactMap: (MigratableKeyValuePair<AnyHashable>) throws -> MigratableKeyValuePair<String>?
    ) throws {
        try sandbox.reportingAny { try Migration(query: query, destination: sandbox).run(compactMap) }
    }

    /// Copies the items that a query finds.
    ///
    /// Values of constrained items cannot be migrated, nor items whose account is no text.
    ///
    /// - Parameters:
    ///   - query: Attributes of generic passwords, `kSecClass` among them.
    ///   - removeOnCompletion: Whether what was copied goes from where it was. Everything else that the query finds
    ///     stays. If somebody changes an item before it is removed, everything begins anew.
    /// - Throws: ``MigrationError`` or ``KeychainError``; `KeychainError.itemNotFound` if there is nothing to copy.
    public func migrateObjects(matching query: [String: AnyHashable], removeOnCompletion: Bool) throws {
        try sandbox.migrate(query, removeOnCompletion)
    }

    /// Copies what a function makes of each value of another valet; the values stay.
    ///
    /// Between valets with the same explicitly set identifier it changes the accessibility of each value in its place, and
    /// another value under the same key is `keyToMigrateAlreadyExistsInValet`.
    ///
    /// - Parameters:
    ///   - valet: The other valet.
    ///   - compactMap: As for ``migrateObjects(matching:compactMap:)``.
    /// - Throws: What ``migrateObjects(matching:compactMap:)`` throws.
    public func migrateObjects(
        from valet: Valet,
        compactMap: (MigratableKeyValuePair<AnyHashable>) throws -> MigratableKeyValuePair<String>?
    ) throws {
        try migrateObjects(matching: valet.baseKeychainQuery, compactMap: compactMap)
    }

    /// Copies the values of another valet.
    ///
    /// Between valets with the same explicitly set identifier it changes the accessibility of each value in its place.
    ///
    /// - Parameters:
    ///   - valet: The other valet.
    ///   - removeOnCompletion: Whether what was copied goes from where it was.
    /// - Throws: What ``migrateObjects(matching:removeOnCompletion:)`` throws.
    public func migrateObjects(from valet: Valet, removeOnCompletion: Bool) throws {
        try sandbox.migrate(valet.baseKeychainQuery, removeOnCompletion)
    }

    /// Copies what Valet 3 and older kept in a valet like this one that was always accessible.
    ///
    /// - Parameter removeOnCompletion: Whether what was copied goes from where it was.
    /// - Throws: What ``migrateObjects(matching:removeOnCompletion:)`` throws.
    public func migrateObjectsFromAlwaysAccessibleValet(removeOnCompletion: Bool) throws {
        try sandbox.migrate(service.alwaysAccessible("AccessibleAlways", "dk"), removeOnCompletion)
    }

    /// Copies what Valet 3 and older kept in a valet like this one that was always accessible on this device only.
    ///
    /// - Parameter removeOnCompletion: Whether what was copied goes from where it was.
    /// - Throws: What ``migrateObjects(matching:removeOnCompletion:)`` throws.
    public func migrateObjectsFromAlwaysAccessibleThisDeviceOnlyValet(removeOnCompletion: Bool) throws {
        try sandbox.migrate(
            service.alwaysAccessible("AccessibleAlwaysThisDeviceOnly", "dku"),
            removeOnCompletion
        )
    }

    #if os(macOS)
    /// Copies what a valet like this one kept in the keychain file of macOS before 10.15, which stays there.
    ///
    /// - Throws: What ``migrateObjects(matching:removeOnCompletion:)`` throws.
    @available(macOS 10.15, *)
    public func migrateObjectsFromPreCatalina() throws {
        var query = baseKeychainQuery
        query[kSecUseDataProtectionKeychain as String] = false
        try sandbox.migrate(query, false)
    }
    #endif
}

extension Service {
    /// What finds the items of the same valet under a protection class that is gone since Valet 4.
    func alwaysAccessible(_ accessibility: String, _ attribute: String) -> [String: AnyHashable] {
        var query = attributes
        query[kSecAttrService as String] = name(accessibility: accessibility)
        query[kSecAttrAccessible as String] = attribute
        #if os(macOS)
        // They were in the keychain file.
        query[kSecUseDataProtectionKeychain as String] = nil
        #endif
        return query
    }
}
