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
    /// The length of the write-ahead log, in frames, at which a write copies the log into the database.
    ///
    /// The next process that opens the store reads the whole log, in about 2 µs per frame; copying takes
    /// several hundred microseconds. A connection that has copied the log once lets it grow to 16 times
    /// this length.
    package var checkpointThreshold = 64
    /// The locations where class keys are cached for the user's other processes.
    ///
    /// If there are none or all fail, the keys stay in this process.
    package var keyCacheLocations = KeyCacheLocations(kernelKeyring: false)

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

/// A set of key cache locations.
///
/// This is not an array, because the first use of an array type is slow, and each process opens a store with this set.
package struct KeyCacheLocations: Hashable, Sendable, ExpressibleByArrayLiteral {
    private var hasKernelKeyring = false
    private var runtimeDirectory: String?

    package init(kernelKeyring: Bool, runtimeDirectory: String? = nil) {
        hasKernelKeyring = kernelKeyring
        self.runtimeDirectory = runtimeDirectory
    }

    package init(arrayLiteral locations: KeyCacheLocation...) {
        for location in locations {
            switch location {
            case .kernelKeyring: hasKernelKeyring = true
            case .runtimeDirectory(let path): runtimeDirectory = path
            }
        }
    }

    package var isEmpty: Bool { !hasKernelKeyring && runtimeDirectory == nil }

    /// The locations in order of preference.
    package var inOrder: [KeyCacheLocation] {
        var locations: [KeyCacheLocation] = hasKernelKeyring ? [.kernelKeyring] : []
        if let runtimeDirectory { locations.append(.runtimeDirectory(runtimeDirectory)) }
        return locations
    }
}
