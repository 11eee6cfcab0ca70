// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainModel
import KeychainStore
import Testing

@testable import KeychainDaemon

/// How the connections of several users share the limits of the daemon.
@Suite struct ConnectionTableTests {
    /// The server's end of a connection of a user, and the client's end.
    private struct Pair {
        let server: Connection
        let client: Descriptor

        init(user: uid_t) throws {
            var ends: [CInt] = [-1, -1]
            let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
            try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
            client = Descriptor(ends[1])
            let peer = Peer(process: getpid(), user: user, group: 1)
            server = Connection(Descriptor(ends[0]), peer: peer, nonce: .zero)
        }
    }

    /// Adds connections of a user until one is refused; returns those that were added.
    private static func fill(_ table: ConnectionTable, user: uid_t, welcomes: Bool = true) throws -> [Pair] {
        var added: [Pair] = []
        while added.count < 1_000 {
            let pair = try Pair(user: user)
            guard table.add(pair.server) else { break }
            if welcomes { table.welcome(pair.server) }
            added.append(pair)
        }
        return added
    }

    private static func limits(_ change: (inout ServerLimits) -> Void) -> ServerLimits {
        var limits = ServerLimits()
        change(&limits)
        return limits
    }

    @Test func `a user never has more connections than are free, so others can always connect`() throws {
        let table = ConnectionTable(limits: Self.limits { $0.connections = 16 })
        let first = try Self.fill(table, user: 1)
        #expect(first.count == 8)
        let second = try Self.fill(table, user: 2)
        #expect(second.count == 4)
        let third = try Self.fill(table, user: 3)
        #expect(third.count == 2)
        #expect(table.count == 14)
        for pair in second { table.remove(pair.server, wasWelcomed: true, heldBytes: 0) }
        #expect(try Self.fill(table, user: 1).isEmpty)
        #expect(try Self.fill(table, user: 4).count == 3)
    }

    @Test func `a user's connections and unfinished handshakes are limited`() throws {
        let limits = Self.limits { ($0.connectionsOfUser, $0.handshakesOfUser) = (5, 3) }
        let table = ConnectionTable(limits: limits)
        let greeted = try Self.fill(table, user: 1, welcomes: false)
        #expect(greeted.count == 3)
        #expect(try Self.fill(table, user: 2).count == 5)
        table.welcome(greeted[0].server)
        table.remove(greeted[1].server, wasWelcomed: false, heldBytes: 0)
        // A connection that was removed already is not counted again.
        table.remove(greeted[1].server, wasWelcomed: false, heldBytes: 0)
        #expect(try Self.fill(table, user: 1, welcomes: false).count == 2)
    }

    @Test func `the bytes that a user's connections hold are limited`() throws {
        let table = ConnectionTable(limits: Self.limits { $0.heldBytesOfUser = 100 })
        let pairs = try [Pair(user: 1), Pair(user: 1), Pair(user: 2)]
        for pair in pairs { #expect(table.add(pair.server)) }
        #expect(table.hold(60, insteadOf: 0, for: 1))
        #expect(!table.hold(41, insteadOf: 0, for: 1))
        #expect(table.hold(100, insteadOf: 0, for: 2))
        #expect(table.hold(40, insteadOf: 41, for: 1))
        table.remove(pairs[0].server, wasWelcomed: false, heldBytes: 60)
        #expect(table.hold(100, insteadOf: 40, for: 1))
    }

    @Test func `a connection whose deadline has passed is shut down`() throws {
        let table = ConnectionTable(limits: Self.limits { $0.handshakeMilliseconds = 0 })
        let (overdue, other) = (try Pair(user: 1), try Pair(user: 1))
        #expect(table.endOverdue() == -1)
        #expect(table.add(overdue.server) && table.add(other.server))
        table.setDeadline(.max, of: other.server)
        #expect(table.endOverdue() > 0)
        var byte: UInt8 = 0
        #expect(recv(overdue.client.number, &byte, 1, CInt(MSG_DONTWAIT)) == 0)
        #expect(recv(other.client.number, &byte, 1, CInt(MSG_DONTWAIT)) == -1)
    }
}
