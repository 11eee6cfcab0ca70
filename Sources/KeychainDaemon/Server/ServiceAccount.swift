// SPDX-License-Identifier: Apache-2.0

import Glibc
package import KeychainModel

/// The user and the group to which the system service switches.
package struct ServiceAccount: Sendable {
    package let user: UInt32
    package let group: UInt32

    /// Uses this group, or else the user's primary group.
    ///
    /// - Throws: `notAvailable` with `systemCall` if no group is given and the user has no entry in the user
    ///   database: the user's ID could be the ID of another user's group.
    package init(user: UInt32, group: UInt32?) throws(StatusError) {
        self.user = user
        guard let found = group ?? Self.primaryGroup(of: user), user != 0, found != 0 else {
            throw StatusError(.notAvailable, .systemCall, code: ENOENT)
        }
        self.group = found
    }

    private static func primaryGroup(of user: UInt32) -> UInt32? {
        var strings = [CChar](repeating: 0, count: 1 << 14)
        return unsafe strings.withUnsafeMutableBufferPointer { strings -> UInt32? in
            var (entry, result) = unsafe (passwd(), nil as UnsafeMutablePointer<passwd>?)
            guard let start = strings.baseAddress,
                unsafe getpwuid_r(user, &entry, start, strings.count, &result) == 0, unsafe result != nil
            else { return nil }
            return unsafe entry.pw_gid
        }
    }
}
