// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainServices

/// Migrates with progress and cancellation. (Added to Valet.)
///
/// The total unit count is the number of changes: copies, then removals. It is set before the first change. If
/// there is nothing to change, the total and the completed count are 1. A migration cancelled through the
/// progress throws `KeychainError.userCancelled` and changes nothing. On Apple's platforms a migration can be
/// cancelled until it starts to remove items, on Linux until the last change is made.
///
/// The progress is updated on the thread that called the migration, and may skip numbers. Observers of the
/// progress may call the keychain; on Linux, such a call waits until the migration has ended. On Linux,
/// `isCancelled` is read on another thread, so a subclass of `Progress` that overrides it must not call the
/// keychain there.
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
