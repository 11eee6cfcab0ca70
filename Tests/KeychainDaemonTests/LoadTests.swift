// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
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

    /// Raises the limit of this process's open files, which by default may be lower than the number of clients.
    private static func allowConnections() throws {
        var limit = rlimit()
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        try #require(getrlimit(files, &limit) == 0)
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 8_192))
        try #require(setrlimit(files, &limit) == 0)
    }

    @Test(arguments: TestedService.Kind.allCases)
    func `64 clients get only their own replies, while others are connected`(kind: TestedService.Kind) throws
    {
        let (requests, idle) = Sampling.isThorough ? (3_125, 1_000) : (50, 200)
        try Self.allowConnections()
        try TestedService.with(kind) { daemon in
            let first = daemon.client()
            for number in 0..<Self.clients { try NumberedItems.add(number, to: first) }
            let connected = try (0..<idle).map { _ in try RawClient.introduced(to: daemon.socketPath) }
            let ended = DispatchSemaphore(value: 0)
            let wrong = WrongReplies()
            for number in 0..<Self.clients {
                let keychain = daemon.client()
                Thread.detachNewThread {
                    let faults = (0..<requests).filter { round in
                        // One of ten requests adds an item.
                        guard round % 10 == 9 else {
                            return (try? NumberedItems.isStored(number, in: keychain)) != true
                        }
                        let added = Self.clients * (round + 1) + number
                        return (try? NumberedItems.add(added, to: keychain)) == nil
                    }
                    wrong.add(faults.count)
                    ended.signal()
                }
            }
            for _ in 0..<Self.clients { ended.wait() }
            #expect(wrong.count == 0)
            for round in stride(from: 9, to: requests, by: Sampling.isThorough ? 100 : 10) {
                for number in 0..<Self.clients {
                    let added = Self.clients * (round + 1) + number
                    #expect(try NumberedItems.isStored(added, in: first))
                }
            }
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
