// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainModel

/// Limits how many keys are derived from passcodes at the same time; each derivation needs up to 256 MiB.
final class DerivationGate: Sendable {
    /// The users for whom a key is being derived.
    private let users = Monitor<Set<uid_t>>([])
    private static let limit = 2
    private static let waitMilliseconds: UInt64 = 120_000

    /// Calls the closure once fewer than two derivations run, and none for this user.
    ///
    /// - Throws: `notAvailable` with `daemonTimeout` after two minutes of waiting, or at the deadline if it is earlier.
    func enter<Result>(
        _ user: uid_t,
        until deadline: UInt64,
        _ body: () throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        let latest = min(deadline, SystemClock.milliseconds + Self.waitMilliseconds)
        let isEntered: Void? = users.wait(until: latest) { users in
            guard users.count < Self.limit, users.insert(user).inserted else { return nil }
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
