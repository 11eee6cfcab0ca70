// SPDX-License-Identifier: Apache-2.0

/// A file of a store, by its name in the store's directory: closed, so that an error can name it and hold no text.
package enum StoreFile: String, CaseIterable, Sendable {
    case database = "keychain.db"
    case log = "keychain.db-wal"
    case logIndex = "keychain.db-shm"
    /// What SQLite makes beside databases of other kinds.
    case journal = "keychain.db-journal"
    case writerLock = "writer.lock"
    case deviceKey = "device.key"
    /// What the database is called once the store is deleted, until everything else is gone.
    case deletedDatabase = "keychain.db.deleted"

    /// The file of a name, also while it is being made; `nil` for what is no store's.
    package init?(name: String) {
        self.init(rawValue: name.hasSuffix(".new") ? String(name.dropLast(4)) : name)
    }

    /// Whether the store is whole without it, and makes it anew.
    var isMadeAnew: Bool {
        switch self {
        case .logIndex, .journal, .writerLock, .deletedDatabase: true
        case .database, .log, .deviceKey: false
        }
    }
}
