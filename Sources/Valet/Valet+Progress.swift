// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainServices

/// Added to Valet: migrations that say how far they are and can be cancelled.
///
/// The total is the number of changes, and is set once they are known: copies, and then removals. Where there is nothing
/// to change it is 1, and completed. A migration that is cancelled through the progress throws
/// `KeychainError.userCancelled` and has changed nothing; on Apple's platforms it cannot be cancelled any more once it
/// removes, on Linux once the last change is made.
///
/// The progress counts on the thread that migrates, and may leave out numbers: what observes it, or overrides its counts,
/// may call the keychain, which on Linux answers once the migration is over. On Linux `isCancelled` is asked in between,
/// on another thread: what overrides that must not call the keychain.
extension Valet {
    /// Copies the items that a query finds; see ``migrateObjects(matching:removeOnCompletion:)``.
    ///
    /// - Parameters:
    ///   - query: Attributes of generic passwords, `kSecClass` among them.
    ///   - removeOnCompletion: Whether what was copied goes from where it was.
    ///   - progress: Counts the changes, and cancels them.
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
    ///   - progress: Counts the changes, and cancels them.
    /// - Throws: ``MigrationError`` or ``KeychainError``.
    public func migrateObjects(from valet: Valet, removeOnCompletion: Bool, progress: Progress) throws {
        try sandbox.migrate(valet.baseKeychainQuery, removeOnCompletion, progress)
    }
}

/// The same for values that the user is asked for.
extension SecureEnclaveValet {
    /// Copies the items that a query finds; see ``Valet/migrateObjects(matching:removeOnCompletion:progress:)``.
    ///
    /// - Parameters:
    ///   - query: Attributes of generic passwords, `kSecClass` among them.
    ///   - removeOnCompletion: Whether what was copied goes from where it was.
    ///   - progress: Counts the changes, and cancels them.
    /// - Throws: ``MigrationError`` or ``KeychainError``.
    public func migrateObjects(
        matching query: [String: AnyHashable],
        removeOnCompletion: Bool,
        progress: Progress
    ) throws {
        try sandbox.migrate(query, removeOnCompletion, progress)
    }
}

/// The same for values that the user is asked for once.
extension SinglePromptSecureEnclaveValet {
    /// Copies the items that a query finds; see ``Valet/migrateObjects(matching:removeOnCompletion:progress:)``.
    ///
    /// - Parameters:
    ///   - query: Attributes of generic passwords, `kSecClass` among them.
    ///   - removeOnCompletion: Whether what was copied goes from where it was.
    ///   - progress: Counts the changes, and cancels them.
    /// - Throws: ``MigrationError`` or ``KeychainError``.
    public func migrateObjects(
        matching query: [String: AnyHashable],
        removeOnCompletion: Bool,
        progress: Progress
    ) throws {
        try sandbox.migrate(query, removeOnCompletion, progress)
    }
}
