// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainModel
import Synchronization

/// Counts the daemon's requests and their latencies since it started.
final class Counters: Sendable {
    private let start = Clock.milliseconds
    private let requests = Atomic<UInt64>(0)
    private let failures = Atomic<UInt64>(0)
    private let refused = Atomic<UInt64>(0)
    private let total = Atomic<UInt64>(0)
    private let longest = Atomic<UInt64>(0)

    func refuse() { refused.add(1, ordering: .relaxed) }

    func count(nanoseconds: UInt64, failed: Bool) {
        requests.add(1, ordering: .relaxed)
        if failed { failures.add(1, ordering: .relaxed) }
        total.add(nanoseconds, ordering: .relaxed)
        longest.max(nanoseconds, ordering: .relaxed)
    }

    /// Returns the daemon's status for `security daemon-status`.
    func status(connections: Int) -> DaemonStatus {
        var status = DaemonStatus()
        status.process = UInt32(getpid())
        status.uptimeSeconds = (Clock.milliseconds - start) / 1_000
        status.connections = UInt32(clamping: connections)
        status.requests = requests.load(ordering: .relaxed)
        status.failures = failures.load(ordering: .relaxed)
        status.refusedConnections = refused.load(ordering: .relaxed)
        status.totalNanoseconds = total.load(ordering: .relaxed)
        status.longestNanoseconds = longest.load(ordering: .relaxed)
        return status
    }
}
