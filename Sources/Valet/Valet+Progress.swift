// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainServices

/// Added to Valet: migrations with progress and cancellation.
///
/// The total is the number of changes, copies followed by removals. It is set once they are known. If there
/// is nothing to change, it is 1 and completed. A migration cancelled through the progress throws
/// `KeychainError.userCancelled` and changes nothing. On Apple's platforms it can be cancelled until it
/// starts to remove items, on Linux until the last change is made.
///
/// The progress is updated on the migrating thread, and may skip numbers. Its observers and overrides may
/// call the keychain, which on Linux responds after the migration. On Linux, `isCancelled` is read on another
/// thread: an override of it must not call the keychain.
extension Valet {
    /// Migrates matching items; see ``migrateObjects(matching:removeOnCompletion:)``.
    ///
    /// - Parameters:
    ///   - query: Attributes of generic passwords, including `kSecClass`.
    ///   - removeOnCompletion: Whether to remove the original items.
    ///   - progress: Reports the number of changes and allows cancellation.
    /// - Throws: ``MigrationError`` or ``KeychainError``.
    public func migrateObjects(
        matching query: [String: AnyHashable],
        removeOnCompletion: Bool,
        progress: Progress
    ) throws {
        try sandbox.migrate(query, removeOnCompletion, progress)
    }

    /// Migrates the values of another valet; see ``migrateObjects(from:removeOnCompletion:)``.
    ///
    /// - Parameters:
    ///   - valet: The other valet.
    ///   - removeOnCompletion: Whether to remove the original items.
    ///   - progress: Reports the number of changes and allows cancellation.
    /// - Throws: ``MigrationError`` or ``KeychainError``.
    public func migrateObjects(from valet: Valet, removeOnCompletion: Bool, progress: Progress) throws {
        try sandbox.migrate(valet.baseKeychainQuery, removeOnCompletion, progress)
    }
}

/// The same calls for values that require authentication.
extension SecureEnclaveValet {
    /// Migrates matching items; see ``Valet/migrateObjects(matching:removeOnCompletion:progress:)``.
    ///
    /// - Parameters:
    ///   - query: Attributes of generic passwords, including `kSecClass`.
    ///   - removeOnCompletion: Whether to remove the original items.
    ///   - progress: Reports the number of changes and allows cancellation.
    /// - Throws: ``MigrationError`` or ``KeychainError``.
    public func migrateObjects(
        matching query: [String: AnyHashable],
        removeOnCompletion: Bool,
        progress: Progress
    ) throws {
        try sandbox.migrate(query, removeOnCompletion, progress)
    }
}

/// The same calls for values with a single prompt.
extension SinglePromptSecureEnclaveValet {
    /// Migrates matching items; see ``Valet/migrateObjects(matching:removeOnCompletion:progress:)``.
    ///
    /// - Parameters:
    ///   - query: Attributes of generic passwords, including `kSecClass`.
    ///   - removeOnCompletion: Whether to remove the original items.
    ///   - progress: Reports the number of changes and allows cancellation.
    /// - Throws: ``MigrationError`` or ``KeychainError``.
    public func migrateObjects(
        matching query: [String: AnyHashable],
        removeOnCompletion: Bool,
        progress: Progress
    ) throws {
        try sandbox.migrate(query, removeOnCompletion, progress)
    }
}
