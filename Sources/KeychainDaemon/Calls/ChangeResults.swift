// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Keeps the replies to a user's latest changes, so that a repeated change is not applied again.
///
/// A client repeats a change when the connection breaks before the reply. The kept replies are lost when the
/// daemon ends; the client then reports that the outcome is unknown.
final class ChangeResults: Sendable {
    private enum Entry: Sendable {
        case running
        case done(DaemonReply)
    }

    private struct State {
        var entries: [Bytes16: Entry] = [:]
        /// The identifiers of the changes, the oldest first.
        var order: [Bytes16] = []
    }

    private static let count = 64
    private let state = Monitor(State())

    /// Applies a change, or returns the reply of its first application.
    func apply(_ change: Bytes16, _ body: () -> DaemonReply) -> DaemonReply {
        let known: DaemonReply?? = state.wait { state in
            switch state.entries[change] {
            case .done(let reply): return .some(reply)
            case .running: return nil
            case nil:
                state.entries[change] = .running
                return .some(nil)
            }
        }
        if case .some(let reply?) = known { return reply }
        let reply = body()
        state.withLock { state in
            state.entries[change] = .done(reply)
            state.order.append(change)
            if state.order.count > Self.count { state.entries[state.order.removeFirst()] = nil }
        }
        state.wakeAll()
        return reply
    }
}
