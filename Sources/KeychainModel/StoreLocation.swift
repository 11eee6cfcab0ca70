// SPDX-License-Identifier: Apache-2.0

/// Where a store is and how it is to be opened.
package struct StoreLocation: Hashable, Sendable {
    /// The absolute path of the directory that holds the files below.
    package let directory: String
    /// Makes the store if there is none; otherwise a missing one is an error.
    package var createsIfMissing: Bool
    /// This process was forked from one that has the store open.
    package var isInherited = false
    /// The name of a registered SQLite VFS, for tests that watch or fail the file system.
    package var fileSystem: String?
    /// How long the log may grow before a write copies it into the database, in frames of one page.
    ///
    /// A short log is quick to recover when a fresh process opens the store, and wraps before the file grows. A longer
    /// one made writes no faster where that was measured.
    package var longestLog = 128
    /// Where the unlocked keys may be kept for the other processes of the user, the best place first.
    ///
    /// Where there is none, or all refuse, they stay in this process.
    package var keyCacheLocations: [KeyCacheLocation] = []

    package init(directory: String, createsIfMissing: Bool = true, fileSystem: String? = nil) {
        self.directory = directory
        self.createsIfMissing = createsIfMissing
        self.fileSystem = fileSystem
    }

    package static let databaseName = StoreFile.database.rawValue
    package static let writerLockName = StoreFile.writerLock.rawValue
    package static let deviceKeyName = StoreFile.deviceKey.rawValue
    package static let deletedName = StoreFile.deletedDatabase.rawValue
}

/// A place for unlocked keys that every process of the user reaches and no other user.
package enum KeyCacheLocation: Hashable, Sendable {
    case kernelKeyring
    /// A directory in memory, private to the user, that is gone with the session.
    case runtimeDirectory(String)
}
