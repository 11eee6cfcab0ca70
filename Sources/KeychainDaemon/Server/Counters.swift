// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainModel
import Synchronization

/// Counts the daemon's calls and their latencies since it started.
final class Counters: Sendable {
    private let start = SystemClock.milliseconds
    private let refused = Atomic<UInt64>(0)
    private let calls = Mutex(CallKind.allCases.map(CallMetrics.init))

    func refuse() { refused.add(1, ordering: .relaxed) }

    func count(_ kind: CallKind, nanoseconds: UInt64, failed: Bool) {
        calls.withLock { calls in
            calls[Int(kind.rawValue)].count(nanoseconds: nanoseconds, failed: failed)
        }
    }

    /// Returns the daemon's status for `security daemon-status`, with or without the activity of all users.
    func status(withActivity isShown: Bool) -> DaemonStatus {
        var status = DaemonStatus()
        status.process = UInt32(getpid())
        status.uptimeSeconds = (SystemClock.milliseconds - start) / 1_000
        guard isShown else { return status }
        status.metrics = calls.withLock { $0 }.filter { $0.calls > 0 }
        for metrics in status.metrics {
            status.requests += metrics.calls
            status.failures += metrics.failures
            status.totalNanoseconds &+= metrics.totalNanoseconds
            status.longestNanoseconds = max(status.longestNanoseconds, metrics.longestNanoseconds)
        }
        status.refusedConnections = refused.load(ordering: .relaxed)
        return status
    }
}
