// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainServices

/// Added to Valet: migrations that say how far they are and can be cancelled.
///
/// The total is the number of changes, and is set once they are known: copies, and then removals. A migration that is
/// cancelled through the progress throws `KeychainError.userCancelled` and has changed nothing; on Apple's platforms it
/// cannot be cancelled any more once it removes.
///
/// The progress counts while the keychain is busy with the migration. What observes it, or overrides its properties, must
/// be quick and must not call the keychain, nor wait for a thread that does: neither would ever return.
extension Valet {
    /// Copies the items that a query finds; see ``migrateObjects(matching:removeOnCompletion:)``.
    ///
    /// - Parameters:
    ///   - query: Attributes of generic passwords, `kSecClass` among them.
    ///   - removeOnCompletion: Whether what was copied goes from where it was.
    ///   - progress: Counts the changes. Its observers must not call the keychain, which waits for them.
    /// - Throws: ``MigrationError`` or ``KeychainError``.
    public func migrateObjects(
        matching query: [String: AnyHashable],
        removeOnCompletion: Bool,
        progress: Progress
    ) throws {
        try sandbox.migrate(query, removeOnCompletion, progress)
    }

    /// Copies the values of another valet; see ``migrateObjects(from:removeOnCompletion:)``.
    ///
    /// - Parameters:
    ///   - valet: The other valet.
    ///   - removeOnCompletion: Whether what was copied goes from where it was.
    ///   - progress: Counts the changes. Its observers must not call the keychain, which waits for them.
    /// - Throws: ``MigrationError`` or ``KeychainError``.
    public func migrateObjects(from valet: Valet, removeOnCompletion: Bool, progress: Progress) throws {
        try sandbox.migrate(valet.baseKeychainQuery, removeOnCompletion, progress)
    }
}

/// The same for values that a person is asked for.
extension SecureEnclaveValet {
    /// Copies the items that a query finds; see ``Valet/migrateObjects(matching:removeOnCompletion:progress:)``.
    ///
    /// - Parameters:
    ///   - query: Attributes of generic passwords, `kSecClass` among them.
    ///   - removeOnCompletion: Whether what was copied goes from where it was.
    ///   - progress: Counts the changes. Its observers must not call the keychain, which waits for them.
    /// - Throws: ``MigrationError`` or ``KeychainError``.
    public func migrateObjects(
        matching query: [String: AnyHashable],
        removeOnCompletion: Bool,
        progress: Progress
    ) throws {
        try sandbox.migrate(query, removeOnCompletion, progress)
    }
}

/// The same for values that a person is asked for once.
extension SinglePromptSecureEnclaveValet {
    /// Copies the items that a query finds; see ``Valet/migrateObjects(matching:removeOnCompletion:progress:)``.
    ///
    /// - Parameters:
    ///   - query: Attributes of generic passwords, `kSecClass` among them.
    ///   - removeOnCompletion: Whether what was copied goes from where it was.
    ///   - progress: Counts the changes. Its observers must not call the keychain, which waits for them.
    /// - Throws: ``MigrationError`` or ``KeychainError``.
    public func migrateObjects(
        matching query: [String: AnyHashable],
        removeOnCompletion: Bool,
        progress: Progress
    ) throws {
        try sandbox.migrate(query, removeOnCompletion, progress)
    }
}
