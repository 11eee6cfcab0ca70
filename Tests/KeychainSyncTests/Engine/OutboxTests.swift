// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore
import KeychainSync
import KeychainTestSupport
import Synchronization
import Testing

/// How often an agent reads all rows to find local changes, and that it misses no change and no unlock.
@Suite struct OutboxTests {
    /// More items than two transactions contain.
    private static let count = 300

    private func addItems(to device: Device) throws {
        try device.keychain.synchronize { session throws(StatusError) in
            for number in 0..<Self.count {
                guard let item = CircleFixture.item("account \(number)") else { continue }
                _ = try session.put(item)
            }
        }
    }

    @Test func `a push of many items reads all rows once`() async throws {
        try await DevicePair.run { pair in
            try addItems(to: pair.second)
            let scans = await pair.second.agent.scanCount
            try await pair.second.agent.synchronize()
            #expect(await pair.second.agent.scanCount == scans + 1)
            let status = try SyncStore(pair.second.keychain).status()
            #expect(status.outbox == 0 && status.records == Self.count)
            try await pair.first.agent.synchronize()
            #expect(try SyncStore(pair.first.keychain).status().records == Self.count)
        }
    }

    @Test func `changes during a push are pushed, whether or not their rows are in the outbox`() async throws
    {
        try await DevicePair.run(over: { PausingTransport($0) }) { pair, transport in
            try addItems(to: pair.second)
            try pair.second.add("new", "one")
            try await pair.second.agent.synchronize()
            for number in 0..<200 { try pair.second.update("account \(number)", "two") }
            transport.beforeTransaction {
                for number in [0, 49, 199, 250] { try pair.second.update("account \(number)", "three") }
                for number in [1, 198, 251] { try pair.second.delete("account \(number)") }
                try pair.second.add("added", "three")
            }
            let scans = await pair.second.agent.scanCount
            try await pair.second.agent.synchronize()
            #expect(await pair.second.agent.scanCount == scans + 2)
            #expect(try SyncStore(pair.second.keychain).status().outbox == 0)
            try await pair.first.agent.synchronize()
            for number in [0, 49, 199, 250] { #expect(try pair.first.value("account \(number)") == "three") }
            for number in [1, 198, 251] { #expect(try pair.first.value("account \(number)") == nil) }
            #expect(try pair.first.value("account 50") == "two")
            #expect(try pair.first.value("added") == "three")
        }
    }

    @Test func `an agent that ends during a push leaves the rest to the next one`() async throws {
        try await DevicePair.run(over: { PausingTransport($0) }) { pair, transport in
            try addItems(to: pair.second)
            // The second transaction fails, as if the agent ended before etcd answered. The store keeps the bytes of
            // this transaction, and the next agent sends them.
            transport.beforeTransaction { transport.beforeTransaction { throw EtcdError.unreachable } }
            await #expect(throws: SyncError.self) { try await pair.second.agent.synchronize() }
            #expect(try SyncStore(pair.second.keychain).status().outbox > 0)
            let next = SyncAgent(pair.second.keychain, over: pair.second.client)
            try await next.synchronize()
            #expect(await next.scanCount == 1)
            try await pair.first.agent.synchronize()
            #expect(try SyncStore(pair.first.keychain).status().records == Self.count)
            #expect(try SyncStore(pair.second.keychain).status().outbox == 0)
        }
    }

    @Test func `applying a message of another device does not read all rows`() async throws {
        try await DevicePair.run { pair in
            let (first, second) = (pair.first, pair.second)
            try await second.agent.synchronize()
            let start = try await second.agent.revision() + 1
            let scans = await second.agent.scanCount
            for number in 0..<10 {
                try first.add("account \(number)", "value")
                try await first.agent.synchronize()
            }
            let newest = try await second.client.range(prefix: "/kc/1/").revision
            try await second.client.watch(prefix: "/kc/1/", from: start) { message in
                try? await second.agent.receive(message)
                try? await second.agent.takeLocalChanges()
                return message.revision < newest
            }
            #expect(await second.agent.scanCount == scans)
            for number in 0..<10 { #expect(try second.value("account \(number)") == "value") }
            // A change that this device makes itself is found by reading all rows.
            try second.update("account 5", "changed")
            try await second.agent.takeLocalChanges()
            #expect(await second.agent.scanCount == scans + 1)
            try await first.agent.synchronize()
            #expect(try first.value("account 5") == "changed")
        }
    }

    @Test func `a running agent notices an unlock by another connection at once`() async throws {
        try await DevicePair.run { pair in
            let keychain = pair.second.keychain
            try keychain.setPasscode(SecretBytes("123456"), cost: LockedStore.cost)
            try pair.second.add("sent", "value", protection: .whenUnlocked)
            try keychain.lock()
            let runner = SyncRunner(keychain, over: pair.second.client)
            let running = Task { await runner.run() }
            try pair.first.add("received", "value", protection: .whenUnlocked)
            try await pair.first.agent.synchronize()
            for _ in 0..<600 where try SyncStore(keychain).status().locked == 0 {
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(try SyncStore(keychain).status().locked == 1)
            let other = try EmbeddedKeychain(at: keychain.location)
            try other.unlock(with: SecretBytes("123456"))
            // The agent's regular check comes after 60 s at the earliest, so the unlock causes an earlier exchange.
            for _ in 0..<600 where try pair.second.value("received") == nil || pair.first.value("sent") == nil
            {
                try await pair.first.agent.synchronize()
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(try pair.second.value("received") == "value")
            #expect(try pair.first.value("sent") == "value")
            runner.stop()
            await running.value
        }
    }
}
