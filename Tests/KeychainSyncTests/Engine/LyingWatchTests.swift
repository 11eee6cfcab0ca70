// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore
import KeychainSync
import Synchronization
import Testing

/// A server whose watch reports forged, old, moved or fewer values than the devices have written.
///
/// The values are records, heads (each device's signed summary) and manifests (the signed lists of the devices).
@Suite struct LyingWatchTests {
    typealias Lie = LyingServerTests.Lie
    typealias Pair = LyingTransport.Pair

    private static let lies = Lie.allCases.filter { $0 != .olderRevision }

    /// Runs a test with two devices that have the items `one` and `two`; the second one's server can lie.
    private func withLiar(_ body: (DevicePair, LyingTransport) async throws -> Void) async throws {
        try await DevicePair.run(over: { LyingTransport($0) }) { pair, transport in
            for account in ["one", "two"] { try pair.first.add(account, "old") }
            try await pair.synchronize()
            try await body(pair, transport)
        }
    }

    private func entries(_ pair: DevicePair) async throws -> [Pair] {
        try await pair.first.client.range(prefix: "/kc/1/").entries.map { Pair($0) }
    }

    /// Lets a device receive all changes since a revision as messages of a watch; returns the errors.
    private func receive(_ device: Device, from start: UInt64, to newest: Int) async throws -> [SyncError] {
        let errors = Mutex<[SyncError]>([])
        try await device.client.watch(prefix: "/kc/1/", from: start) { events in
            do throws(SyncError) {
                try await device.agent.receive(events)
            } catch {
                errors.withLock { $0.append(error) }
            }
            return events.revision < newest
        }
        return errors.withLock { $0 }
    }

    private func change(_ pair: DevicePair, _ lie: Lie) async throws {
        for account in ["one", "two"] { try pair.first.update(account, "new") }
        if lie == .droppedTombstone { try pair.first.delete("two") }
        try await pair.first.agent.synchronize()
    }

    @Test(arguments: lies)
    func `a falsified message is noticed, and nothing of it is applied`(lie: Lie) async throws {
        try await withLiar { pair, transport in
            let former = try await entries(pair)
            let start = try await pair.second.agent.revision() + 1
            try await change(pair, lie)
            let newest = try await entries(pair).map(\.revision).max() ?? 0
            let falsify: LyingTransport.Lie = { lie.apply($0, former: former) }
            transport.tell(falsify)
            transport.tellWatch(falsify)
            let errors = try await receive(pair.second, from: start, to: newest)
            #expect(errors.count == 1 && errors.allSatisfy { lie.expected.contains($0) }, "\(errors)")
            for account in ["one", "two"] { #expect(try pair.second.value(account) == "old") }
            #expect(try pair.second.circle.devices().count == 2)

            transport.tell(nil)
            transport.tellWatch(nil)
            try await pair.second.agent.synchronize()
            #expect(try pair.second.value("one") == "new")
            #expect(try pair.second.value("two") == (lie == .droppedTombstone ? nil : "new"))
        }
    }

    @Test(arguments: lies.filter { $0.expected.contains(.inconsistent) })
    func `if only the watch is falsified, the changes are read instead`(lie: Lie) async throws {
        try await withLiar { pair, transport in
            let former = try await entries(pair)
            let start = try await pair.second.agent.revision() + 1
            try await change(pair, lie)
            let newest = try await entries(pair).map(\.revision).max() ?? 0
            transport.tellWatch { lie.apply($0, former: former) }
            let count = transport.rangeCount
            #expect(try await receive(pair.second, from: start, to: newest) == [])
            #expect(transport.rangeCount > count)
            #expect(try pair.second.value("one") == "new")
            #expect(try pair.second.value("two") == (lie == .droppedTombstone ? nil : "new"))
        }
    }

    @Test func `an older version that the watch repeats is ignored`() async throws {
        try await withLiar { pair, transport in
            let former = try await entries(pair)
            let start = try await pair.second.agent.revision() + 1
            try await change(pair, .alteredRecord)
            let newest = try await entries(pair).map(\.revision).max() ?? 0
            transport.tellWatch { pairs in pairs + former.filter { !$0.key.contains("/m/") } }
            #expect(try await receive(pair.second, from: start, to: newest) == [])
            #expect(try pair.second.value("one") == "new")
            #expect(try pair.second.value("two") == "new")
        }
    }

    @Test(arguments: [true, false])
    func `a withheld head is noticed by the next one, although no sum changes`(isLie: Bool) async throws {
        try await withLiar { pair, transport in
            try await pair.synchronize()
            let start = try await pair.second.agent.revision() + 1
            let count = transport.rangeCount
            // After two days, the first device renews its `Head`, a signed summary, in a transaction without records.
            pair.first.clock.set(2 * 86_400_000)
            try await pair.first.agent.synchronize()
            let renewal = try await entries(pair).map(\.revision).max() ?? 0
            #expect(renewal >= start)
            try pair.first.update("one", "new")
            try await pair.first.agent.synchronize()
            let newest = try await entries(pair).map(\.revision).max() ?? 0
            if isLie { transport.tellWatch { pairs in pairs.filter { $0.revision != renewal } } }
            #expect(try await receive(pair.second, from: start, to: newest) == [])
            #expect((transport.rangeCount > count) == isLie)
            #expect(try pair.second.value("one") == "new")
        }
    }

    @Test func `a watch from a revision that was compacted ends with this error`() async throws {
        try await withLiar { pair, _ in
            let start = try await pair.second.agent.revision()
            try await change(pair, .alteredRecord)
            try await pair.server.compact()
            let error = await #expect(throws: EtcdError.self) {
                try await pair.second.client.watch(prefix: "/kc/1/", from: start) { _ in true }
            }
            guard case .compacted(let revision)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(revision > start)
            try await pair.second.agent.synchronize()
            #expect(try pair.second.value("one") == "new")
        }
    }
}
