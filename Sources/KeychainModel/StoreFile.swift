// SPDX-License-Identifier: Apache-2.0

/// A file in the directory of a store; the raw value is its name.
///
/// Errors name a file by this type, and therefore contain no string.
package enum StoreFile: String, CaseIterable, Sendable {
    case database = "keychain.db"
    case log = "keychain.db-wal"
    case logIndex = "keychain.db-shm"
    /// SQLite's rollback journal. A store does not create one, because it uses a write-ahead log.
    case journal = "keychain.db-journal"
    case writerLock = "writer.lock"
    case deviceKey = "device.key"
    /// The renamed database of a store that is being deleted; an empty file if the database was missing.
    ///
    /// It is removed after all other files except `writer.lock`.
    case deletedDatabase = "keychain.db.deleted"

    /// Finds the file by name; `nil` for other files.
    ///
    /// A name with the suffix `.new`, which a file has while it is being written, gives the case without the suffix.
    package init?(name: String) {
        self.init(rawValue: name.hasSuffix(".new") ? String(name.dropLast(4)) : name)
    }

    /// Whether the file can be removed without losing items: the store does not need it, or creates it again.
    var isRecreated: Bool {
        switch self {
        case .logIndex, .journal, .writerLock, .deletedDatabase: true
        case .database, .log, .deviceKey: false
        }
    }
}
