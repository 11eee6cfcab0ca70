// SPDX-License-Identifier: Apache-2.0

import KeychainItems
import KeychainServices

extension SecureEnclaveValet {
    /// Migrates matching items; see ``Valet/migrateObjects(matching:removeOnCompletion:)``.
    ///
    /// - Parameters:
    ///   - query: Attributes of generic passwords, including `kSecClass`.
    ///   - removeOnCompletion: Whether to remove the original items.
    /// - Throws: ``MigrationError`` or ``KeychainError``.
    public func migrateObjects(matching query: [String: AnyHashable], removeOnCompletion: Bool) throws {
        try sandbox.migrate(query, removeOnCompletion)
    }

    /// Migrates the values of a valet; see ``Valet/migrateObjects(from:removeOnCompletion:)``.
    ///
    /// - Parameters:
    ///   - valet: The source valet.
    ///   - removeOnCompletion: Whether to remove the original items.
    /// - Throws: ``MigrationError`` or ``KeychainError``.
    public func migrateObjects(from valet: Valet, removeOnCompletion: Bool) throws {
        try migrateObjects(matching: valet.baseKeychainQuery, removeOnCompletion: removeOnCompletion)
    }

    /// Migrates the single-prompt valet's values; authenticates the user.
    ///
    /// The single-prompt valet has the identifier and the access control of this valet. In Valet 5.1 the function
    /// exists only on watchOS and always fails. Differs: here it exists on every platform, and works.
    ///
    /// - Parameter removeOnCompletion: Whether to remove the original items.
    /// - Throws: ``MigrationError`` or ``KeychainError``.
    public func migrateObjectsFromSinglePromptSecureEnclaveValet(removeOnCompletion: Bool) throws {
        var query = service.with(.singlePromptSecureEnclave(accessControl)).attributes
        // The access control is removed, because a query cannot match by it.
        query[kSecAttrAccessControl as String] = nil
        // One session, so that one authentication opens every value.
        try sandbox.migrate(query, removeOnCompletion, session: AuthenticationSession())
    }
}
