// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainClient
package import KeychainModel

/// The user and the group to which the system service switches.
package struct ServiceAccount: Sendable {
    package let user: UInt32
    package let group: UInt32

    /// Uses this group, or else the user's primary group.
    ///
    /// - Throws: `notAvailable` with `systemCall` if the user or the group is root, or if no group is given and the
    ///   user is not in the user database: the user's ID could be the ID of another user's group.
    package init(user: UInt32, group: UInt32?) throws(StatusError) {
        self.user = user
        let primary: UInt32? = if let group { group } else { try UserAccount.find(user)?.group }
        guard let found = primary, user != 0, found != 0 else {
            throw StatusError(.notAvailable, .systemCall, code: ENOENT)
        }
        self.group = found
    }
}
