// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Foundation
import KeychainClient
import KeychainDaemon
import KeychainModel
import KeychainTestSupport
import Synchronization
import Testing

/// Calls that take longer than a message may take to arrive.
@Suite struct SlowCallTests {
    /// Calls the closure while this test holds the writer lock of a store, so that changes wait.
    private static func withoutWriters(of store: String, _ body: () throws -> Void) throws {
        let lock = open(store + "/writer.lock", O_RDWR | O_CLOEXEC)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX) == 0)
        try body()
        #expect(flock(lock, LOCK_UN) == 0)
    }

    @Test func `a client that sends a part of a message, and then nothing, is disconnected`() throws {
        try LocalServer.with({ $0.limits.messageMilliseconds = 100 }) { server in
            let client = try RawClient(to: server.path)
            #expect(try client.introduce()?.kind == .welcome)
            client.send(Array(RawClient.request(.plain(.daemonStatus)).frames[..<10]))
            // Nothing else happens that could wake the daemon.
            var event = pollfd(fd: client.socket, events: Int16(POLLIN), revents: 0)
            #expect(poll(&event, 1, 30_000) == 1)
            #expect(try client.isClosed())
        }
    }

    @Test func `a call may take longer than the time limit of its message`() throws {
        try LocalServer.with({ $0.limits.messageMilliseconds = 3_000 }) { server in
            let client = try RawClient(to: server.path)
            #expect(try client.introduce()?.kind == .welcome)
            guard case .response = try client.call(Self.addition("first", size: 1)) else {
                return #expect(Bool(false), "not added")
            }
            try Self.withoutWriters(of: server.store) {
                // The message arrives in two parts, and the call then waits for the lock.
                let frames = RawClient.request(Self.addition("second", size: 100_000)).frames
                client.send(Array(frames[..<1_000]))
                usleep(200_000)
                client.send(Array(frames[1_000...]))
                usleep(4_000_000)
            }
            #expect(try client.receive()?.kind == .response)
        }
    }

    @Test func `a slow call of one thread does not hold up the calls of another`() throws {
        try LocalServer.with { server in
            let client = server.client()
            try NumberedItems.add(1, to: client)
            let ended = DispatchSemaphore(value: 0)
            let failure = Mutex<StatusError?>(nil)
            try Self.withoutWriters(of: server.store) {
                Thread.detachNewThread {
                    do throws(StatusError) {
                        try NumberedItems.add(together: [2], to: client)
                    } catch {
                        failure.withLock { $0 = error }
                    }
                    ended.signal()
                }
                // Until the slow call occupies the first connection, these calls use that connection.
                var connections: UInt32 = 1
                for _ in 0..<60_000 where connections < 2 {
                    connections = try client.daemonStatus().connections
                    usleep(1_000)
                }
                #expect(connections == 2)
                #expect(try NumberedItems.isStored(1, in: client))
                #expect(ended.wait(timeout: .now()) == .timedOut)
            }
            ended.wait()
            #expect(failure.withLock { $0 } == nil)
            #expect(try NumberedItems.isStored(2, in: client))
        }
    }

    @Test func `a client that calls without a pause does not keep the server from accepting others`() throws {
        try LocalServer.with { server in
            try NumberedItems.add(1, to: server.client())
            let clients = try (0..<3).map { _ in try RawClient(to: server.path) }
            for client in clients { #expect(try client.introduce()?.kind == .welcome) }
            let isEnding = Mutex(false)
            let calls = Mutex(0)
            let ended = DispatchSemaphore(value: 0)
            try Self.withoutWriters(of: server.store) {
                // Three of the four threads wait for the lock; the fourth serves the client without a pause.
                for (number, client) in clients.enumerated() {
                    client.send(RawClient.request(Self.addition("slow \(number)", size: 1)))
                }
                Thread.detachNewThread {
                    let busy = try? RawClient(to: server.path)
                    _ = try? busy?.introduce()
                    while !isEnding.withLock({ $0 }) {
                        guard case .daemon = try? busy?.call(.plain(.daemonStatus)) else { break }
                        calls.withLock { $0 += 1 }
                    }
                    ended.signal()
                }
                for _ in 0..<60_000 where calls.withLock({ $0 }) < 1_000 { usleep(1_000) }
                let other = try RawClient(to: server.path)
                #expect(try other.introduce()?.kind == .welcome)
                isEnding.withLock { $0 = true }
                ended.wait()
            }
            for client in clients { #expect(try client.receive()?.kind == .response) }
        }
    }

    @Test func `the server accepts a client while slow calls occupy all threads that serve clients`() throws {
        try LocalServer.with { server in
            try NumberedItems.add(1, to: server.client())
            let clients = try (0..<4).map { _ in try RawClient(to: server.path) }
            for client in clients { #expect(try client.introduce()?.kind == .welcome) }
            try Self.withoutWriters(of: server.store) { () throws in
                for (number, client) in clients.enumerated() {
                    client.send(RawClient.request(Self.addition("slow \(number)", size: 1)))
                }
                // Lets the threads begin the calls. If they have not yet, the test is easier to pass.
                usleep(300_000)
                let hello = try RawClient(to: server.path).receive()
                #expect(hello?.kind == .serverHello)
                for client in clients {
                    var event = pollfd(fd: client.socket, events: Int16(POLLIN), revents: 0)
                    #expect(poll(&event, 1, 0) == 0, "a call ended before the other client was accepted")
                }
            }
            for client in clients { #expect(try client.receive()?.kind == .response) }
        }
    }

    @Test func `many threads of a program use at most two connections`() throws {
        try LocalServer.with { server in
            let client = server.client()
            let most = Mutex<UInt32>(0)
            onThreads(8) { _ in
                for _ in 0..<50 {
                    let connections = (try? client.daemonStatus().connections) ?? .max
                    most.withLock { $0 = max($0, connections) }
                }
            }
            #expect((1...2).contains(most.withLock { $0 }))
        }
    }

    private static func addition(_ account: String, size: Int) -> DaemonCall {
        var attributes = Attributes()
        attributes[.account] = .string(account)
        attributes[.accessible] = .string("ak")
        attributes[.synchronizable] = .number(0)
        let secret = SecretBuffer([UInt8](repeating: 65, count: size))
        let item = NewItem(itemClass: .genericPassword, attributes: attributes, secret: secret)
        return .perform(.add(item), CallCredential())
    }
}
