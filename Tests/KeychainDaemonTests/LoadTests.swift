// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Synchronization
import Testing

@Suite struct LoadTests {
    private static let clients = 64

    private final class WrongReplies: Sendable {
        private let number = Mutex(0)

        var count: Int { number.withLock { $0 } }

        func add(_ count: Int) { number.withLock { $0 += count } }
    }

    @Test func `64 clients get only their own replies, while others are connected`() throws {
        let (requests, idle) = Sampling.isThorough ? (3_125, 900) : (50, 200)
        try DaemonProcess.with { daemon in
            let first = daemon.client()
            for number in 0..<Self.clients { try NumberedItems.add(number, to: first) }
            var connected: [RawClient] = []
            for _ in 0..<idle {
                let client = try RawClient(to: daemon)
                #expect(try client.introduce()?.kind == .welcome)
                connected.append(client)
            }
            let ended = DispatchSemaphore(value: 0)
            let wrong = WrongReplies()
            for number in 0..<Self.clients {
                let keychain = daemon.client()
                Thread.detachNewThread {
                    let faults = (0..<requests).filter { _ in
                        (try? NumberedItems.isStored(number, in: keychain)) != true
                    }
                    wrong.add(faults.count)
                    ended.signal()
                }
            }
            for _ in 0..<Self.clients { ended.wait() }
            #expect(wrong.count == 0)
            let status = try first.daemonStatus()
            #expect(status.connections >= UInt32(idle + 1))
            #expect(status.requests >= UInt64(Self.clients * (requests + 1)))
            // The idle connections are still served.
            guard let last = connected.last, case .daemon = try last.call(.plain(.daemonStatus)) else {
                Issue.record("not served")
                return
            }
        }
    }
}
