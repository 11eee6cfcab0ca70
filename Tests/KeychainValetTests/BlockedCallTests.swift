// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Valet

/// Calls that wait, for example for an answer to a prompt, do not block other calls.
@Suite(.ownKeychain) struct BlockedCallTests {
    /// More calls than there are processors or threads in any pool.
    private static let count = 300 + ProcessInfo.processInfo.activeProcessorCount

    @Test(.timeLimit(.minutes(10))) func `a call completes while hundreds wait`() async throws {
        let valet = Valet.valet(with: try .fresh(), accessibility: .whenUnlocked)
        let answer = DispatchSemaphore(value: 0)
        let (waiting, arrival) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.count {
                group.addTask {
                    await BlockingCalls.run {
                        arrival.yield()
                        answer.wait()
                    }
                }
            }
            var arrived = waiting.makeAsyncIterator()
            for _ in 0..<Self.count { await arrived.next() }
            try await valet.async.setString("canary", forKey: "key")
            #expect(try await valet.async.string(forKey: "key") == "canary")
            for _ in 0..<Self.count { answer.signal() }
            try await group.waitForAll()
        }
        try valet.removeAllObjects()
    }
}
