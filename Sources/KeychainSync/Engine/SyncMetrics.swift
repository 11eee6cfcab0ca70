// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Counts the events of an agent since its start, and how long etcd took to acknowledge its changes.
package final class SyncMetrics: Sendable {
    private struct Counts {
        var events: [SyncEvent.Kind: Int] = [:]
        var sent = 0
        var received = 0
        /// The acknowledgements by duration: at index n, those that took from 2^(n−1) to less than 2^n ms; the last
        /// also counts longer ones.
        var durations = [Int](repeating: 0, count: 20)
    }

    private let counts = Mutex(Counts())

    package init() {}

    package func record(_ event: SyncEvent) {
        counts.withLock { counts in
            counts.events[event.kind, default: 0] += 1
            switch event.kind {
            case .pushed:
                counts.sent += event.count ?? 0
                let bits = UInt64.bitWidth - (event.milliseconds ?? 0).leadingZeroBitCount
                counts.durations[min(bits, counts.durations.count - 1)] += 1
            case .received: counts.received += event.count ?? 0
            default: break
            }
        }
    }

    /// The counts as `key=value` fields, for the log.
    package var fields: String {
        let counts = counts.withLock { $0 }
        let events: [(String, SyncEvent.Kind)] = [
            ("connections", .connected), ("pushes", .pushed), ("messages", .received),
            ("fullResynchronizations", .fullResynchronization), ("problems", .problem),
        ]
        var text = "event=metrics"
        for (name, kind) in events { text += " \(name)=\(counts.events[kind] ?? 0)" }
        text += " recordsSent=\(counts.sent) recordsReceived=\(counts.received)"
        for share in [50, 99] { text += " pushP\(share)=\(Self.limit(share, counts.durations))" }
        return text
    }

    /// Returns the milliseconds, rounded up to a power of two, in which a percentage of pushes was acknowledged.
    private static func limit(_ percentage: Int, _ durations: [Int]) -> Int {
        let all = durations.reduce(0, +)
        guard all > 0 else { return 0 }
        var sum = 0
        for (bits, count) in durations.enumerated() {
            sum += count
            if sum * 100 >= all * percentage { return 1 << bits }
        }
        return 1 << durations.count
    }
}
