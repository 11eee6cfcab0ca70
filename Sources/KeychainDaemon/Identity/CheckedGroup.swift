// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainModel
import Synchronization

/// A system group that identifies the programs that run with it, if no user can join the group by a password.
///
/// Only root can read the passwords of groups, so the daemon asks `keychain-identify`. If that does not answer in time,
/// the result is unknown, and the daemon asks again as soon as the group would identify a program.
final class CheckedGroup: Sendable {
    let name: String
    let number: gid_t
    private let identify: IdentifyClient
    private let answer: Mutex<Bool?>

    /// Takes a group that was checked except for its password, unless this process is root's.
    init(_ name: String, _ number: gid_t, _ identify: IdentifyClient) {
        self.name = name
        self.number = number
        self.identify = identify
        answer = Mutex(geteuid() == 0 ? true : nil)
    }

    /// Whether no user can join the group; `nil` while this is unknown.
    var known: Bool? { answer.withLock { $0 } }

    /// Returns whether no user can join the group; asks `keychain-identify` if this is unknown.
    ///
    /// - Throws: `notAvailable` with `daemonTimeout` if `keychain-identify` does not answer.
    func isClosed() throws(StatusError) -> Bool {
        if let known { return known }
        let isClosed = try identify.isClosed(number)
        answer.withLock { $0 = isClosed }
        return isClosed
    }
}
