// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeychainSync

/// How long the agent waits after an error.
@Suite struct BackOffTests {
    private static let unreachable = SyncError.etcd(.unreachable)

    @Test func `each failure doubles the limit of the random pause, up to a minute`() {
        var backOff = BackOff()
        var limit: UInt64 = 100
        for _ in 0..<20 {
            #expect((limit / 2...limit).contains(backOff.next(after: Self.unreachable)))
            limit = min(limit * 2, 60_000)
        }
        backOff.reset()
        #expect((50...100).contains(backOff.next(after: Self.unreachable)))
    }

    @Test func `pauses are random`() {
        let pauses = (0..<64).map { _ in
            var backOff = BackOff()
            for _ in 0..<12 { _ = backOff.next(after: Self.unreachable) }
            return backOff.next(after: Self.unreachable)
        }
        // These are 64 pauses of 30,001 possible ones: if they are random, more than 32 are different.
        #expect(Set(pauses).count > 32)
    }

    @Test(
        arguments: [
            (SyncError.etcd(.credentialsRefused), 60_000...300_000), (.etcd(.outOfSpace), 60_000...300_000),
            (.removed, 30_000...60_000), (.updateNeeded, 30_000...60_000), (.paused, 60_000...60_000),
        ] as [(SyncError, ClosedRange<UInt64>)]
    )
    func `the agent waits longer after an error that lasts until the user acts`(
        error: SyncError,
        range: ClosedRange<UInt64>
    ) {
        var backOff = BackOff()
        for _ in 0..<20 { #expect(range.contains(backOff.next(after: error))) }
    }
}
