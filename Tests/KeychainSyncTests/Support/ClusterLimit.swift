// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Limits the clusters of etcd that run at the same time in this process.
///
/// All tests start at once. Each member of etcd allocates 128 MB for its log, which occupies memory if the temporary
/// directory is a tmpfs.
final class ClusterLimit: Sendable {
    static let shared = ClusterLimit(8)

    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(_ count: Int) { state = Mutex(State(free: count)) }

    /// Waits until fewer clusters run than the limit allows, and returns a permit to run one.
    func acquire() async -> Permit {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
        return Permit(limit: self)
    }

    private func release() {
        let next = state.withLock { state in
            guard state.waiting.isEmpty else { return Optional(state.waiting.removeFirst()) }
            state.free += 1
            return nil
        }
        next?.resume()
    }

    /// Permits one cluster to run, until `end()`, or until nothing refers to this object.
    final class Permit: Sendable {
        private let limit: ClusterLimit
        private let hasEnded = Atomic(false)

        fileprivate init(limit: ClusterLimit) { self.limit = limit }

        deinit { end() }

        /// Lets the next cluster start; another call does nothing.
        func end() {
            if !hasEnded.exchange(true, ordering: .relaxed) { limit.release() }
        }
    }
}
