// SPDX-License-Identifier: Apache-2.0

package import KeychainModel
import KeychainStore

/// Counts the program's items, and accesses the groups of other programs for tools that report where an item is.
extension SystemKeychain {
    /// Returns the number of items in this process's access groups, without decrypting an item.
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

    /// Calls `body` as a caller with every access group, without recording failures.
    ///
    /// This works with the embedded store only, where access groups are no security boundary: programs of one
    /// user can read each other's files. With the daemon, `body` still has the groups of this program only.
    package static func withEveryGroup<Result>(_ body: () -> Result) throws(StatusError) -> Result {
        let current = try connection(creating: false)
        // With a daemon, the groups cannot be extended: it gives each program only the program's own groups.
        guard let keychain = current.embedded else { return FailureLog.withoutRecording(body) }
        let caller = Caller(
            applicationIdentifier: current.caller.applicationIdentifier,
            accessGroups: [Caller.everyGroup]
        )
        return with(KeychainConnection(keychain: keychain, caller: caller)) {
            FailureLog.withoutRecording(body)
        }
    }
}
