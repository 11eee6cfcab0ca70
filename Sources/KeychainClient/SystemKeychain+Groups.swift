// SPDX-License-Identifier: Apache-2.0

package import KeychainModel
import KeychainStore

/// Access to the groups of other programs, for a tool that reports where an item is.
extension SystemKeychain {
    /// The number of items in the access groups of this process; decrypts no item.
    package static func ownItemCount() throws(StatusError) -> UInt64 {
        let caller = try caller()
        if caller.reachesEveryGroup {
            guard case .status(let status) = try perform(.status) else { return 0 }
            return status.itemCount
        }
        return try withKeychain { keychain throws(StatusError) in
            try keychain.itemCount(in: caller.accessGroups)
        }
    }

    /// Calls `body` as a program that has every access group; its failures are not recorded.
    ///
    /// For the embedded store, where access groups are no security boundary: programs of one user can read each
    /// other's files. With the daemon, `body` reaches the groups of this program.
    package static func withEveryGroup<Result>(_ body: () -> Result) throws(StatusError) -> Result {
        let current = try connection(creating: false)
        // The daemon gives each program its own groups only.
        guard let keychain = current.embedded else { return FailureLog.withoutRecording(body) }
        let caller = Caller(
            applicationIdentifier: current.caller.applicationIdentifier,
            accessGroups: [Caller.everyGroup]
        )
        return $override.withValue(KeychainConnection(keychain: keychain, caller: caller)) {
            FailureLog.withoutRecording(body)
        }
    }
}
