// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The reason why a migration did not start or was undone.
///
/// If a keychain call failed, `lastFailure` of the destination contains its status.
public enum MigrationError: Int, CaseIterable, CustomStringConvertible, LocalizedError, Equatable, Sendable {
    /// The query is empty, is not for generic passwords, or has an entry that a migration does not support.
    case invalidQuery
    /// The key of an item is not a string, or the new key is empty.
    case keyToMigrateInvalid
    /// The value of an item or the new value is empty.
    case dataToMigrateInvalid
    /// Two items would have the same key in the destination.
    case duplicateKeyToMigrate
    /// The destination already has a value for the key.
    ///
    /// Also thrown if the destination cannot be searched, or if a closure returns a different value for an item that
    /// is changed in place.
    case keyToMigrateAlreadyExistsInValet
    /// The original items could not be removed, or other programs changed them in each attempt.
    ///
    /// All changes of the migration were undone. On Apple's platforms, which have no transactions, a copy is
    /// kept if its original was already removed.
    case removalFailed

    /// The name of the type and the case.
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
        case .invalidQuery: "a migration does not support the query"
        case .keyToMigrateInvalid: "the key of an item is missing, or its new key is empty"
        case .dataToMigrateInvalid: "the value of an item is empty"
        case .duplicateKeyToMigrate: "two items would have the same key"
        case .keyToMigrateAlreadyExistsInValet: "the destination has a value for the key already"
        case .removalFailed: "the original items could not be removed; no value is lost"
        }
    }
}
