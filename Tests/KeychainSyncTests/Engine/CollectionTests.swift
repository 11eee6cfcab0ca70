// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore
import KeychainSync
import KeychainTestSupport
import Testing

/// The deletion of tombstones that every active device has received.
@Suite struct CollectionTests {
    private func recordCount(_ pair: DevicePair) async throws -> Int {
        try await pair.first.client.range(prefix: "/kc/1/").entries.count { $0.key.contains("/r/") }
    }

    /// Adds an item on the first device, and one on the second, so that both have written a ``Head``.
    private func addItems(_ pair: DevicePair) async throws {
        try pair.first.add("account", "value")
        try await pair.first.agent.synchronize()
        try await pair.second.agent.synchronize()
        try pair.second.add("other", "value")
        try await pair.synchronize()
    }

    @Test func `a tombstone is deleted from etcd when the other device has received it, not before`()
        async throws
    {
        try await DevicePair.run { pair in
            try await addItems(pair)
            try pair.first.delete("account")
            for _ in 0..<2 { try await pair.first.agent.synchronize() }
            #expect(try await recordCount(pair) == 2)
            try await pair.second.agent.synchronize()
            try await pair.first.agent.synchronize()
            #expect(try await recordCount(pair) == 2)

            // The next `Head` of the second device, its signed summary, shows that it has received the tombstone.
            try pair.second.update("other", "changed")
            try await pair.second.agent.synchronize()
            try await pair.first.agent.synchronize()
            #expect(try await recordCount(pair) == 1)
            try await pair.synchronize()
            #expect(try pair.second.value("account") == nil)
            #expect(try pair.first.conflicts + pair.second.conflicts == [])

            // Either device can add an item with the same primary key again.
            try pair.second.add("account", "again")
            try await pair.synchronize()
            #expect(try pair.first.value("account") == "again")
            try pair.first.update("account", "and again")
            try await pair.first.agent.synchronize()
            try await pair.synchronize()
            #expect(try pair.second.value("account") == "and again")
        }
    }

    @Test func `a device that was away for 91 days deletes the item, and does not bring it back`()
        async throws
    {
        try await DevicePair.run { pair in
            try await addItems(pair)
            let days: Int64 = 86_400_000
            pair.first.clock.set(91 * days)
            try pair.first.delete("account")
            try await pair.first.agent.synchronize()
            #expect(try await recordCount(pair) == 1)
            try await pair.synchronize()
            #expect(try pair.second.value("account") == nil)
            #expect(try pair.first.value("account") == nil)
            #expect(try pair.second.value("other") == "value")
            #expect(try SyncStore(pair.second.keychain).status().outbox == 0)
            // The device never received the tombstone, so it keeps the deleted value as a conflict, for 30 days.
            #expect(try pair.second.conflicts == ["value"])
        }
    }

    @Test func `a device that was locked and away for 91 days keeps the deleted value after unlocking`()
        async throws
    {
        try await DevicePair.run { pair in
            try pair.first.add("account", "value", protection: .whenUnlocked)
            try pair.second.add("other", "value")
            for _ in 0..<2 { try await pair.synchronize() }
            let keychain = pair.second.keychain
            try keychain.setPasscode(SecretBytes("123456"), cost: LockedStore.cost)
            try keychain.lock()
            pair.first.clock.set(91 * 86_400_000)
            try pair.first.delete("account")
            try await pair.first.agent.synchronize()
            #expect(try await recordCount(pair) == 1)
            try await pair.second.agent.synchronize()
            // A locked device must not write again: the agent would take its own writes for local changes.
            let files = try pair.second.files
            try await pair.second.agent.synchronize()
            #expect(try pair.second.files == files)
            try keychain.unlock(with: SecretBytes("123456"))
            #expect(try pair.second.value("account") == "value")
            try await pair.synchronize()
            #expect(try pair.second.value("account") == nil)
            #expect(try pair.first.value("account") == nil)
            #expect(try pair.second.conflicts == ["value"])
            #expect(try SyncStore(keychain).status().outbox == 0)
            #expect(try pair.second.value("other") == "value")
        }
    }

    @Test func `an item that was locked when its deletion was received stays if it is then changed`()
        async throws
    {
        try await DevicePair.run { pair in
            try pair.first.add("account", "value", protection: .whenUnlocked)
            try pair.second.add("other", "value")
            for _ in 0..<2 { try await pair.synchronize() }
            let keychain = pair.second.keychain
            try keychain.setPasscode(SecretBytes("123456"), cost: LockedStore.cost)
            try keychain.lock()
            pair.first.clock.set(91 * 86_400_000)
            try pair.first.delete("account")
            try await pair.first.agent.synchronize()
            try await pair.second.agent.synchronize()
            try keychain.unlock(with: SecretBytes("123456"))
            try pair.second.update("account", "changed")
            try await pair.synchronize()
            #expect(try pair.first.value("account") == "changed")
            #expect(try pair.second.value("account") == "changed")
        }
    }

    @Test func `a device that was away for 91 days keeps an item that it has changed`() async throws {
        try await DevicePair.run { pair in
            try await addItems(pair)
            try pair.second.update("account", "changed while away")
            pair.first.clock.set(91 * 86_400_000)
            try pair.first.delete("account")
            try await pair.first.agent.synchronize()
            #expect(try await recordCount(pair) == 1)
            try await pair.synchronize()
            #expect(try pair.first.value("account") == "changed while away")
            #expect(try pair.second.value("account") == "changed while away")
        }
    }

    @Test func `many tombstones are found once, and deleted in several transactions`() async throws {
        try await DevicePair.run { pair in
            try await addItems(pair)
            let accounts = (0..<150).map { "account \($0)" }
            for account in accounts { try pair.first.add(account, "value") }
            try await pair.synchronize()
            for account in accounts { try pair.first.delete(account) }
            try await pair.synchronize()
            #expect(try await recordCount(pair) == 152)
            try pair.second.update("other", "changed")
            try await pair.second.agent.synchronize()
            let scans = await pair.first.agent.tombstoneScanCount
            try await pair.first.agent.synchronize()
            #expect(try await recordCount(pair) == 2)
            #expect(await pair.first.agent.tombstoneScanCount == scans + 1)
            try await pair.synchronize()
            for device in [pair.first, pair.second] {
                #expect(try SyncStore(device.keychain).status().records == 2)
            }
        }
    }

    @Test func `an admin deletes the tombstones of a removed device`() async throws {
        try await DevicePair.run { pair in
            try await addItems(pair)
            try pair.second.delete("account")
            try await pair.second.agent.synchronize()
            let identifier = try pair.second.circle.devices().first(where: \.isThisDevice)?.identifier
            try await pair.first.agent.synchronize()
            try await pair.first.circle.remove(try #require(identifier))
            await pair.first.agent.reload()
            for _ in 0..<2 { try await pair.first.agent.synchronize() }
            #expect(try await recordCount(pair) == 1)
            #expect(try pair.first.value("other") == "value")
        }
    }
}
