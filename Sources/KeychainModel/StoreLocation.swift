// SPDX-License-Identifier: Apache-2.0

package struct StoreLocation: Hashable, Sendable {
    /// The absolute path of the store's directory.
    package let directory: String
    /// Whether to create a missing store; otherwise a missing store is an error.
    package var createsIfMissing: Bool
    /// Whether this process was forked from one that had the store open.
    package var isInherited = false
    /// The name of a registered SQLite VFS, for tests that record file system calls or let them fail.
    package var fileSystem: String?
    /// The length of the log, in frames, at which a write copies the log into the database.
    ///
    /// The next process that opens the store reads the whole log, in about 2 µs per frame; copying takes
    /// several hundred microseconds. A connection that has copied the log once lets it grow to 16 times
    /// this length.
    package var checkpointThreshold = 64
    /// The locations where class keys are cached for the user's other processes, in order of preference.
    ///
    /// If the list is empty or all locations fail, the keys stay in this process.
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

/// A location for cached class keys that only the user's processes can access.
package enum KeyCacheLocation: Hashable, Sendable {
    case kernelKeyring
    /// A private directory in memory that is removed when the user's session ends.
    case runtimeDirectory(String)
}
