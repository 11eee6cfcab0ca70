// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainModel

/// Admits at most one thread for each user, and a limited number in all, to work that takes long.
final class UserGate: Sendable {
    /// The users for whom a thread works.
    private let users = Monitor<Set<uid_t>>([])
    private let limit: Int
    private let waitMilliseconds: UInt64

    /// Limits the number of users whose work runs at the same time, and the time for which a thread waits.
    init(limit: Int = .max, waitMilliseconds: UInt64) {
        self.limit = limit
        self.waitMilliseconds = waitMilliseconds
    }

    /// Waits until no other thread works for this user and fewer users than the limit have work; calls the closure.
    ///
    /// - Throws: `notAvailable` with `daemonTimeout` after the time for which a thread waits, or at the deadline if
    ///   that is earlier; the errors of the closure.
    func enter<Result>(
        _ user: uid_t,
        until deadline: UInt64 = .max,
        _ body: () throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        let latest = min(deadline, SystemClock.milliseconds + waitMilliseconds)
        let isEntered: Void? = users.wait(until: latest) { users in
            guard users.count < limit, users.insert(user).inserted else { return nil }
            return ()
        }
        guard isEntered != nil else { throw StatusError(.notAvailable, .daemonTimeout) }
        defer {
            users.withLock { _ = $0.remove(user) }
            users.wakeAll()
        }
        return try body()
    }
}
