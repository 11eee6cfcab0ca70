// SPDX-License-Identifier: Apache-2.0

import KeychainServices

extension SecureEnclaveValet {
    /// Copies the items that a query finds; see ``Valet/migrateObjects(matching:removeOnCompletion:)``.
    ///
    /// - Parameters:
    ///   - query: Attributes of generic passwords, `kSecClass` among them.
    ///   - removeOnCompletion: Whether what was copied goes from where it was.
    /// - Throws: ``MigrationError`` or ``KeychainError``.
    public func migrateObjects(matching query: [String: AnyHashable], removeOnCompletion: Bool) throws {
        try sandbox.migrate(query, removeOnCompletion)
    }

    /// Copies the values of a valet; see ``Valet/migrateObjects(from:removeOnCompletion:)``.
    ///
    /// - Parameters:
    ///   - valet: The valet that keeps them.
    ///   - removeOnCompletion: Whether what was copied goes from where it was.
    /// - Throws: ``MigrationError`` or ``KeychainError``.
    public func migrateObjects(from valet: Valet, removeOnCompletion: Bool) throws {
        try migrateObjects(matching: valet.baseKeychainQuery, removeOnCompletion: removeOnCompletion)
    }

    /// Copies the values of the single-prompt valet with the same identifier and constraint; the user is asked.
    ///
    /// Source: Valet 5.1, which has it on watchOS. Unlike there, it is there on every platform, and can succeed.
    ///
    /// - Parameter removeOnCompletion: Whether what was copied goes from where it was.
    /// - Throws: ``MigrationError`` or ``KeychainError``.
    public func migrateObjectsFromSinglePromptSecureEnclaveValet(removeOnCompletion: Bool) throws {
        var query = service.with(.singlePromptSecureEnclave(accessControl)).attributes
        // No search tells constraints apart.
        query[kSecAttrAccessControl as String] = nil
        // One context, so that one answer opens every value.
        try sandbox.migrate(query, removeOnCompletion, context: LAContext())
    }
}
