// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Selects the store in this process or a daemon.
enum Backend {
    private static let variable = "KEYCHAIN_BACKEND"

    /// The address of the daemon to use; `nil` for the store in this process.
    ///
    /// Without `KEYCHAIN_BACKEND` it is a daemon whose socket exists, unless the program or the environment names a store:
    /// the daemon serves one store only. A daemon that ended is not replaced by the store in this process, where the
    /// program would not find its items.
    ///
    /// - Throws: `notAvailable` with `backendUnavailable` for an unknown value, or if there is nowhere a daemon could be.
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
