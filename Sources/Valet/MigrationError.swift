// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Why a migration was not begun, or was undone.
///
/// Where a call of the keychain failed, `lastFailure` of the destination has its status.
public enum MigrationError: Int, CaseIterable, CustomStringConvertible, LocalizedError, Equatable, Sendable {
    /// The query cannot be one of a migration.
    case invalidQuery
    /// The key of an item is none, or the new one is empty.
    case keyToMigrateInvalid
    /// The value of an item is empty, or the new one is.
    case dataToMigrateInvalid
    /// Two items would have the same key.
    case duplicateKeyToMigrate
    /// The destination has the key already, or cannot tell; or a function would change a value in its place.
    case keyToMigrateAlreadyExistsInValet
    /// What was copied could not be removed where it came from, or was changed there again and again, so everything is
    /// as it was.
    case removalFailed

    /// The type and the case.
    public var description: String {
        let name =
            switch self {
            case .invalidQuery: "invalidQuery"
            case .keyToMigrateInvalid: "keyToMigrateInvalid"
            case .dataToMigrateInvalid: "dataToMigrateInvalid"
            case .duplicateKeyToMigrate: "duplicateKeyToMigrate"
            case .keyToMigrateAlreadyExistsInValet: "keyToMigrateAlreadyExistsInValet"
            case .removalFailed: "removalFailed"
            }
        return "MigrationError.\(name)"
    }

    /// The message that `localizedDescription` returns.
    public var errorDescription: String? {
        switch self {
        case .invalidQuery: "the query cannot be one of a migration"
        case .keyToMigrateInvalid: "the key of an item is missing, or its new key is empty"
        case .dataToMigrateInvalid: "the value of an item is empty"
        case .duplicateKeyToMigrate: "two items would have the same key"
        case .keyToMigrateAlreadyExistsInValet: "the destination has a value for the key already"
        case .removalFailed: "what was copied could not be removed from its old place; nothing was changed"
        }
    }
}
