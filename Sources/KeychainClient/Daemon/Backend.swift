// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Selects whether this process opens the store itself or calls a daemon.
enum Backend {
    private static let variable = "KEYCHAIN_BACKEND"

    /// Returns the address of the daemon to use; `nil` if this process opens the store itself.
    ///
    /// A store that the program names is always opened in this process, because the daemon serves only one store of
    /// each user. Otherwise, without `KEYCHAIN_BACKEND`, the daemon is used if its socket exists or `KEYCHAIN_SOCKET`
    /// names a socket, unless `KEYCHAIN_HOME` names a store. If the socket exists but the daemon has ended, calls fail
    /// instead of using the embedded store, which may have other items.
    ///
    /// - Throws: `notAvailable` with `backendUnavailable` for an unknown value of `KEYCHAIN_BACKEND`.
    static func daemon(namesStore: Bool) throws(StatusError) -> DaemonAddress? {
        switch Environment[variable] {
        case "embedded": return nil
        case "daemon":
            guard !namesStore else { return nil }
            let candidates = candidates()
            return candidates.first(where: \.exists) ?? candidates[0]
        case nil:
            guard !namesStore, Environment["KEYCHAIN_HOME"] == nil else { return nil }
            return runningDaemon()
        default: throw StatusError(.notAvailable, .backendUnavailable)
        }
    }

    /// Returns the address of the daemon's socket, even if this process opens the store itself.
    ///
    /// The result is `nil` if the environment names no socket and none exists.
    static func runningDaemon() -> DaemonAddress? { candidates().first { $0.exists || $0.isNamed } }

    /// Returns the possible addresses of the daemon, in order of preference.
    ///
    /// If `KEYCHAIN_SOCKET` names a socket, that is the only address. Otherwise, the system service's socket comes
    /// first, and then the user service's socket, if the user has a runtime directory.
    private static func candidates() -> [DaemonAddress] {
        if let path = Environment["KEYCHAIN_SOCKET"] { return [.named(path)] }
        let ofUser = Environment.runtimeDirectory().map { DaemonAddress.ofUser(runtimeDirectory: $0) }
        return [.ofSystem] + [ofUser].compactMap { $0 }
    }
}
