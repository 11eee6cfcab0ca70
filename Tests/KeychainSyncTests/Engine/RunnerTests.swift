// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore
import KeychainSync
import Synchronization
import Testing

/// The agent's loop: its periodic check that the watch of etcd has missed no change, and how it connects again.
@Suite(.timeLimit(.minutes(5))) struct RunnerTests {
    private final class Log: Sendable {
        private let events = Mutex<[SyncEvent]>([])
        func append(_ event: SyncEvent) { events.withLock { $0.append(event) } }
        func count(_ kind: SyncEvent.Kind) -> Int { events.withLock { $0.count { $0.kind == kind } } }
        var problems: [String] { events.withLock { $0.compactMap(\.problem) } }
    }

    /// A time limit in milliseconds that is longer than any test.
    private static let never: UInt64 = 3_600_000

    /// Runs a test with an agent on the second device, with these time limits in milliseconds.
    private func withRunner<Transport: EtcdTransport>(
        answer: UInt64 = never,
        grace: UInt64 = never,
        over change: (HTTPTransport) -> Transport,
        prepare: (Transport) -> Void = { _ in },
        _ body: (DevicePair, Transport, Log) async throws -> Void
    ) async throws {
        try await DevicePair.run(over: change) { pair, transport in
            prepare(transport)
            let log = Log()
            var intervals = SyncIntervals()
            intervals.tick = 50...50
            (intervals.answer, intervals.grace) = (answer, grace)
            let runner = SyncRunner(
                pair.second.keychain,
                over: pair.second.client,
                intervals: intervals,
                log: { log.append($0) }
            )
            let running = Task { await runner.run() }
            let isConnected = try await Device.waits { log.count(.connected) > 0 }
            #expect(isConnected)
            try await body(pair, transport, log)
            runner.stop()
            await running.value
        }
    }

    private func add(_ account: String, on device: Device) async throws {
        try device.add(account, "value")
        try await device.agent.synchronize()
    }

    @Test func `a watch that reports a change within the grace period is no problem`() async throws {
        try await withRunner(over: { HoldingTransport($0) }) { pair, transport, log in
            transport.holdEvents(true)
            try await add("account", on: pair.first)
            let count = transport.rangeCount
            #expect(try await Device.waits { transport.rangeCount > count + 3 })
            #expect(try pair.second.value("account") == nil)
            transport.holdEvents(false)
            #expect(try await Device.waits { try pair.second.value("account") == "value" })
            #expect(log.problems == [] && log.count(.connected) == 1)
        }
    }

    @Test func `a watch that does not report a change is replaced`() async throws {
        try await withRunner(grace: 100, over: { HoldingTransport($0) }) { pair, transport, log in
            transport.holdEvents(true)
            try await add("account", on: pair.first)
            #expect(try await Device.waits { try pair.second.value("account") == "value" })
            #expect(log.problems.first == "unreachable")
            transport.holdEvents(false)
        }
    }

    @Test func `a server that does not answer the periodic check is reported, and called again`() async throws
    {
        try await withRunner(answer: 100, over: { HoldingTransport($0) }) { pair, transport, log in
            transport.holdRanges(true)
            #expect(try await Device.waits { log.problems.contains("unreachable") })
            transport.holdRanges(false)
            #expect(try await Device.waits { log.count(.connected) > 1 })
            try await add("account", on: pair.first)
            #expect(try await Device.waits { try pair.second.value("account") == "value" })
        }
    }

    @Test func `a watch whose history was compacted is replaced without a problem`() async throws {
        let message = #"{"result":{"canceled":true,"compact_revision":"5"}}"#
        try await withRunner(
            over: { LyingTransport($0) },
            prepare: { $0.startWatch(with: message) }
        ) { pair, _, log in
            #expect(try await Device.waits { log.count(.connected) > 1 })
            try await add("account", on: pair.first)
            #expect(try await Device.waits { try pair.second.value("account") == "value" })
            #expect(log.problems == [])
        }
    }
}
