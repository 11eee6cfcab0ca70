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
    /// If no group is given, the user must be in the user database. The user ID does not serve as the group ID, because
    /// another user's group may have that ID.
    ///
    /// - Throws: For example, `notAvailable` with `systemCall` if the user or the group has the ID 0, or if no group is
    ///   given and the user database does not contain the user.
    package init(user: UInt32, group: UInt32?) throws(StatusError) {
        self.user = user
        let primary: UInt32? = if let group { group } else { try UserAccount.find(user)?.group }
        guard let found = primary, user != 0, found != 0 else {
            throw StatusError(.notAvailable, .systemCall, code: ENOENT)
        }
        self.group = found
    }
}
