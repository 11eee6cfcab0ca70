// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Selects the store in this process or a daemon.
enum Backend {
    private static let variable = "KEYCHAIN_BACKEND"

    /// The address of the daemon to use; `nil` for the store in this process.
    ///
    /// Without `KEYCHAIN_BACKEND`, the daemon is used if its socket exists, and neither the program nor the environment
    /// names a store: the daemon serves one store only. If the daemon has ended, calls fail instead of using the store
    /// in this process, which may have other items.
    ///
    /// - Throws: `notAvailable` with `backendUnavailable` for an unknown value, or if there is no runtime directory.
    static func daemon(namesStore: Bool) throws(StatusError) -> DaemonAddress? {
        let addresses =
            Environment.runtimeDirectory().map { [DaemonAddress.ofUser(runtimeDirectory: $0)] } ?? []
        switch Environment[variable] {
        case "embedded": return nil
        case "daemon":
            guard let address = addresses.first(where: \.exists) ?? addresses.first else {
                throw StatusError(.notAvailable, .backendUnavailable)
            }
            return address
        case nil:
            guard !namesStore, Environment["KEYCHAIN_HOME"] == nil else { return nil }
            return addresses.first(where: \.exists)
        default: throw StatusError(.notAvailable, .backendUnavailable)
        }
    }
}
