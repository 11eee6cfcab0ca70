// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainModel
import KeychainStore
import Synchronization

/// Counts the events of an agent since its start, and how long etcd took to acknowledge its changes.
package final class SyncMetrics: Sendable {
    /// The counts at one time, printed by `keychain-sync` to standard error and by `security sync status --json`.
    package struct Counts: Codable, Hashable, Sendable {
        /// When the agent started, in milliseconds since 1970.
        package var start: UInt64
        package var connections = 0
        package var pushes = 0
        package var messages = 0
        package var fullResynchronizations = 0
        package var problems = 0
        package var recordsSent = 0
        package var recordsReceived = 0
        /// The milliseconds, rounded up to a power of two, in which half of the pushes were acknowledged.
        package var pushP50 = 0
        /// The milliseconds, rounded up to a power of two, in which 99 % of the pushes were acknowledged.
        package var pushP99 = 0
    }

    private struct State {
        var counts: Counts
        /// The acknowledgements by duration: at index n, those that took from 2^(n−1) to less than 2^n ms; the last
        /// also counts longer ones.
        var durations = [Int](repeating: 0, count: 20)
        /// The counts that were last saved in the store.
        var saved: Counts?
    }

    private let state: Mutex<State>

    package init(start: UInt64 = SystemTime.milliseconds()) {
        state = Mutex(State(counts: Counts(start: start)))
    }

    package func record(_ event: SyncEvent) {
        state.withLock { state in
            switch event.kind {
            case .connected: state.counts.connections += 1
            case .pushed:
                state.counts.pushes += 1
                state.counts.recordsSent += event.count ?? 0
                let bits = UInt64.bitWidth - (event.milliseconds ?? 0).leadingZeroBitCount
                state.durations[min(bits, state.durations.count - 1)] += 1
            case .received:
                state.counts.messages += 1
                state.counts.recordsReceived += event.count ?? 0
            case .fullResynchronization: state.counts.fullResynchronizations += 1
            case .problem: state.counts.problems += 1
            case .newGeneration, .paused, .locked: break
            }
        }
    }

    package var counts: Counts {
        let state = state.withLock { $0 }
        var counts = state.counts
        counts.pushP50 = Self.limit(50, state.durations)
        counts.pushP99 = Self.limit(99, state.durations)
        return counts
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

extension SyncMetrics {
    /// Saves the counts in the store, if they have changed.
    func save(in keychain: EmbeddedKeychain) {
        let counts = counts
        guard state.withLock({ $0.saved }) != counts, let encoded = try? JSONEncoder().encode(counts) else {
            return
        }
        do throws(StatusError) {
            try keychain.synchronize { session throws(StatusError) in
                // A store that has left its circle contains no pages of synchronization, and must not get one.
                guard try session.page(StatePage.cursor) != nil else { return }
                try session.write(Array(encoded), asPage: StatePage.metrics)
            }
            state.withLock { $0.saved = counts }
        } catch {
            // Ignore the error, because the counts are for information only.
        }
    }
}

extension SyncMetrics.Counts {
    static func load(from keychain: EmbeddedKeychain) -> Self? {
        do throws(StatusError) {
            let page = try keychain.readSynchronization { session throws(StatusError) in
                try session.page(StatePage.metrics)
            }
            return page.flatMap { try? JSONDecoder().decode(Self.self, from: Data($0)) }
        } catch {
            return nil
        }
    }

    /// The counts as `key=value` fields, which `keychain-sync` prints on standard error.
    package var fields: String {
        "event=metrics connections=\(connections) pushes=\(pushes) messages=\(messages)"
            + " fullResynchronizations=\(fullResynchronizations) problems=\(problems)"
            + " recordsSent=\(recordsSent) recordsReceived=\(recordsReceived) pushP50=\(pushP50) pushP99=\(pushP99)"
    }
}
