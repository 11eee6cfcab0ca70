// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore
import KeychainSync
import KeychainTestSupport
import Testing

/// Changes that happen after a device has sealed its own changes, and before etcd acknowledges them.
@Suite struct ConcurrentPushTests {
    private func run(
        removesComparisons: Bool = false,
        _ body: (DevicePair, PausingTransport) async throws -> Void
    ) async throws {
        try await DevicePair.run(
            over: { PausingTransport($0, removesComparisons: removesComparisons) }
        ) { pair, transport in
            try pair.first.add("account", "base")
            try await pair.synchronize()
            try await body(pair, transport)
        }
    }

    @Test func `another device's change during a push is merged, and the loser is kept`() async throws {
        try await run { pair, transport in
            pair.first.clock.set(-60_000)
            try pair.first.update("account", "earlier")
            try pair.second.update("account", "later")
            transport.beforeTransaction { try await pair.first.agent.synchronize() }
            try await pair.second.agent.synchronize()
            pair.first.clock.set(0)
            try await pair.synchronize()
            for device in [pair.first, pair.second] { #expect(try device.value("account") == "later") }
            #expect(try pair.first.conflicts + pair.second.conflicts == ["earlier"])
        }
    }

    /// A control, which shows that the test above passes only because of the comparisons in the transaction.
    @Test func `without comparisons, a concurrent push overwrites a change, and the sums show it`()
        async throws
    {
        try await run(removesComparisons: true) { pair, transport in
            try pair.first.update("account", "earlier")
            try pair.second.update("account", "later")
            transport.beforeTransaction { try await pair.first.agent.synchronize() }
            await #expect(throws: SyncError.inconsistent) {
                try await pair.second.agent.synchronize()
                try await pair.synchronize()
            }
            #expect(try pair.second.conflicts == [])
        }
    }

    @Test func `a successor of the winner of a merge wins, too, even if the clock was set back`()
        async throws
    {
        try await run { pair, _ in
            try pair.first.update("account", "loser")
            try await pair.first.agent.synchronize()
            pair.second.clock.set(3_600_000)
            try pair.second.update("account", "winner")
            // Only receive changes, as an agent does that ends before it sends the value "winner".
            try await pair.second.agent.pull()
            pair.second.clock.set(-3_600_000)
            try pair.second.delete("account")
            try pair.second.add("account", "successor")
            try await pair.synchronize()
            for device in [pair.first, pair.second] { #expect(try device.value("account") == "successor") }
            #expect(try pair.first.conflicts + pair.second.conflicts == ["loser"])
        }
    }

    @Test func `a change of the same item during its push is pushed afterwards`() async throws {
        try await run { pair, transport in
            try pair.second.update("account", "one")
            transport.beforeTransaction { try pair.second.update("account", "two") }
            try await pair.second.agent.synchronize()
            try await pair.first.agent.synchronize()
            #expect(try pair.first.value("account") == "two")
            #expect(try pair.second.value("account") == "two")
            #expect(try SyncStore(pair.second.keychain).status().outbox == 0)
        }
    }

    @Test func `a deletion during the push of the same item is pushed afterwards`() async throws {
        try await run { pair, transport in
            try pair.second.update("account", "one")
            transport.beforeTransaction { try pair.second.delete("account") }
            try await pair.second.agent.synchronize()
            try await pair.synchronize()
            #expect(try pair.first.value("account") == nil)
            #expect(try pair.second.value("account") == nil)
        }
    }
}
