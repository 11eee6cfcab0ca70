// SPDX-License-Identifier: Apache-2.0

import Glibc
package import KeychainModel
package import KeychainStore

extension SystemKeychain {
    /// Turns off SQLite's memory statistics; see `EmbeddedKeychain.omitMemoryStatistics()`.
    package static func omitMemoryStatistics() { EmbeddedKeychain.omitMemoryStatistics() }

    /// Makes stores open faster in a short-lived program; see `EmbeddedKeychain.configureForCommand()`.
    package static func configureForCommand() { EmbeddedKeychain.configureForCommand() }

    /// Returns the directory of the store that the API uses, whether or not the store exists.
    ///
    /// With the daemon, whose stores this program cannot read, this is the directory of the daemon's socket.
    package static func storeDirectory() throws(StatusError) -> String {
        if let address = try daemonInUse() { return address.directory }
        return try storeLocation().directory
    }

    /// Whether a daemon serves this process; in a test, whether a daemon serves the keychain that the test has set.
    package static func hasDaemon() throws(StatusError) -> Bool { try daemonInUse() != nil }

    /// Returns the store directory that the environment selects, even if the process uses another directory.
    package static func directoryOfEnvironment() throws(StatusError) -> String {
        try Environment.storeDirectory()
    }

    /// The path of the socket of the daemon for all users.
    package static var systemSocketPath: String { DaemonAddress.ofSystem.path }

    /// Returns the path of the socket of this user's daemon; `nil` without a runtime directory.
    package static func userSocketPath() -> String? {
        Environment.runtimeDirectory().map { DaemonAddress.ofUser(runtimeDirectory: $0).path }
    }

    /// Returns whether a directory contains a store; true if that cannot be determined.
    package static func hasStore(in directory: String) -> Bool {
        if unsafe access(directory + "/" + StoreLocation.databaseName, F_OK) == 0 { return true }
        return errno != ENOENT && errno != ENOTDIR
    }

    /// Deletes an embedded store, by default the one that the API uses.
    package static func deleteStore(at directory: String?) throws(StatusError) {
        try EmbeddedKeychain.delete(at: location(of: directory))
        if directory == nil, let test = connectionOfTest {
            test.discardStore()
        } else {
            discardStoreOfProcess()
        }
    }

    /// Creates an embedded store; throws `duplicateKeychain` if there is one.
    package static func createStore(at directory: String?) throws(StatusError) -> EmbeddedKeychain {
        let location = try location(of: directory)
        guard unsafe access(location.directory + "/" + StoreLocation.databaseName, F_OK) != 0 else {
            throw StatusError(.duplicateKeychain, .storeExists)
        }
        return try EmbeddedKeychain(at: location)
    }

    /// Returns the locations in which the embedded store may cache unlocked keys.
    package static func keyCacheLocations() -> KeyCacheLocations {
        KeyCacheLocations(kernelKeyring: true, runtimeDirectory: Environment.runtimeDirectory())
    }

    /// Returns the key cache that the next unlock of an embedded store will use.
    package static func keyCacheOfThisUser() -> StoreStatus.KeyCache {
        KeyCache(locations: keyCacheLocations(), store: .zero).kind
    }

    /// The versions of the libraries that the embedded store uses.
    package static var libraryVersions: (sqlite: String, sodium: String) { StoreLibraries.versions }

    /// Returns whether the embedded store has joined a circle of devices; `false` if a daemon serves the keychain.
    package static func isSynchronized() throws(StatusError) -> Bool {
        try withKeychain { backend throws(StatusError) in
            try (backend as? EmbeddedKeychain)?.isSynchronized() ?? false
        }
    }

    private static func location(of directory: String?) throws(StatusError) -> StoreLocation {
        guard let directory else { return try storeLocation() }
        return embeddedLocation(directory)
    }

    private static func storeLocation() throws(StatusError) -> StoreLocation {
        if let test = connectionOfTest?.embedded { return test.location }
        guard try daemonInUse() == nil else { throw StatusError(.unimplemented, .notThroughDaemon) }
        try refuseStoreOfUser()
        return embeddedLocation(try directoryInUse())
    }

    static func embeddedLocation(_ directory: String) -> StoreLocation {
        var location = StoreLocation(directory: directory)
        location.keyCacheLocations = keyCacheLocations()
        return location
    }
}
