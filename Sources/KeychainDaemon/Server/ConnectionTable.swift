// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainModel
import Synchronization

/// The open connections, their deadlines, and the counts that are limited for each user.
final class ConnectionTable: Sendable {
    private struct Usage {
        var connections = 0
        var handshakes = 0
        var heldBytes = 0
    }

    private struct State {
        var connections: [CInt: Connection] = [:]
        /// The deadlines of handshakes, unfinished messages and replies, in milliseconds since the system started.
        var deadlines: [CInt: UInt64] = [:]
        var usage: [uid_t: Usage] = [:]
        var lastEmpty = SystemClock.milliseconds
    }

    private let limits: ServerLimits
    private let state = Mutex(State())

    init(limits: ServerLimits) { self.limits = limits }

    /// Adds a connection that starts its handshake; returns `false` if there are too many.
    func add(_ connection: Connection) -> Bool {
        state.withLock { state in
            var usage = state.usage[connection.peer.user] ?? Usage()
            let free = limits.connections - state.connections.count
            guard usage.connections < min(limits.connectionsOfUser, free),
                usage.handshakes < limits.handshakesOfUser
            else { return false }
            usage.connections += 1
            usage.handshakes += 1
            state.usage[connection.peer.user] = usage
            let number = connection.socket.number
            state.connections[number] = connection
            state.deadlines[number] = SystemClock.milliseconds + limits.handshakeMilliseconds
            return true
        }
    }

    /// Records that a connection has finished its handshake.
    func welcome(_ connection: Connection) {
        state.withLock { $0.usage[connection.peer.user]?.handshakes -= 1 }
    }

    /// Removes a connection.
    ///
    /// Call this before the descriptor is closed: another connection may then get the same descriptor number, to which
    /// the deadline must not apply.
    func remove(_ connection: Connection, wasWelcomed: Bool, heldBytes: Int) {
        state.withLock { state in
            let (number, user) = (connection.socket.number, connection.peer.user)
            guard state.connections.removeValue(forKey: number) != nil else { return }
            state.deadlines[number] = nil
            state.usage[user]?.connections -= 1
            state.usage[user]?.heldBytes -= heldBytes
            if !wasWelcomed { state.usage[user]?.handshakes -= 1 }
            if state.usage[user]?.connections == 0 { state.usage[user] = nil }
            if state.connections.isEmpty { state.lastEmpty = SystemClock.milliseconds }
        }
    }

    subscript(number: CInt) -> Connection? { state.withLock { $0.connections[number] } }

    var count: Int { state.withLock { $0.connections.count } }

    var all: [Connection] { state.withLock { Array($0.connections.values) } }

    /// The milliseconds since the last connection was closed; 0 while a connection is open.
    var idleMilliseconds: UInt64 {
        state.withLock { $0.connections.isEmpty ? SystemClock.milliseconds - $0.lastEmpty : 0 }
    }

    /// Updates the bytes that a connection holds; returns `false` if the user's connections hold too many.
    func hold(_ bytes: Int, insteadOf counted: Int, for user: uid_t) -> Bool {
        state.withLock { state in
            state.usage[user]?.heldBytes += bytes - counted
            return state.usage[user].map { $0.heldBytes <= limits.heldBytesOfUser } ?? true
        }
    }

    func setDeadline(_ deadline: UInt64?, of connection: Connection) {
        state.withLock { $0.deadlines[connection.socket.number] = deadline }
    }

    /// Shuts down the connections whose deadline has passed; a worker thread then closes each.
    ///
    /// Returns the milliseconds until the next deadline; -1 if no connection has a deadline.
    func endOverdue() -> CInt {
        state.withLock { state in
            guard !state.deadlines.isEmpty else { return -1 }
            let now = SystemClock.milliseconds
            for (number, deadline) in state.deadlines where deadline <= now {
                shutdown(number, CInt(SHUT_RDWR))
                state.deadlines[number] = nil
            }
            guard let next = state.deadlines.values.min() else { return -1 }
            return CInt(clamping: next - now + 1)
        }
    }
}
