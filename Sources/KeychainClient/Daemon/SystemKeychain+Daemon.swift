// SPDX-License-Identifier: Apache-2.0

package import KeychainModel
package import KeychainStore

extension SystemKeychain {
    /// Returns how strongly the daemon has established this program's identity; `embedded` without a daemon.
    package static func callerLevel() throws(StatusError) -> CallerLevel {
        if let test = connectionOfTest { return try test.daemon?.identity().level ?? .embedded }
        guard try daemonInUse() != nil else { return .embedded }
        return try connection(creating: false).daemon?.identity().level ?? .embedded
    }

    /// Returns the running daemon, even if this program opens the store itself; the first call connects to it.
    ///
    /// - Throws: For example, `notAvailable` with `daemonUnreachable` if the environment names no socket and none
    ///   exists.
    package static func runningDaemon() throws(StatusError) -> DaemonKeychain {
        if let test = connectionOfTest?.daemon { return test }
        guard let address = Backend.runningDaemon() else {
            throw StatusError(.notAvailable, .daemonUnreachable)
        }
        return DaemonKeychain(at: address, claim: try Entitlements.callerOfThisProcess())
    }

    /// Opens the embedded store in a directory, by default the one that the environment selects.
    ///
    /// - Throws: For example, `noSuchKeychain` with `storeMissing` if there is no store.
    package static func embeddedStore(at directory: String?) throws(StatusError) -> EmbeddedKeychain {
        let path: String = if let directory { directory } else { try directoryOfEnvironment() }
        guard hasStore(in: path) else { throw StatusError(.noSuchKeychain, .storeMissing) }
        var location = embeddedLocation(path)
        location.createsIfMissing = false
        return try EmbeddedKeychain(at: location)
    }

    /// Returns the identifier of the store that the environment selects, and whether it is synchronized, even if a
    /// daemon serves that store.
    ///
    /// - Throws: For example, `noSuchKeychain` with `storeMissing` if there is no store.
    package static func storeOfEnvironment() throws(StatusError) -> (
        identifier: Bytes16, isSynchronized: Bool
    ) {
        let store = try embeddedStore(at: nil)
        return (try store.status().store, try store.isSynchronized())
    }
}
