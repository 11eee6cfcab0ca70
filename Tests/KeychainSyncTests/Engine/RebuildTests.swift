// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore
import KeychainSync
import KeychainTestSupport
import Testing

/// `security sync rebuild`, which starts a new generation of the data in etcd: every device sends its items again.
@Suite struct RebuildTests {
    /// Expects that both devices have these values, have sent everything, and know the same ``Head`` of each device.
    private func expectEqual(_ pair: DevicePair, _ values: [String: String?]) throws {
        for device in [pair.first, pair.second] {
            for (account, value) in values { #expect(try device.value(account) == value, "\(account)") }
            #expect(try SyncStore(device.keychain).status().outbox == 0)
        }
        let (first, second) = (SyncStore(pair.first.keychain), SyncStore(pair.second.keychain))
        #expect(try first.status().fingerprint == second.status().fingerprint)
        #expect(try first.status().generation == second.status().generation)
    }

    private func expectRolledBack(_ pair: DevicePair) async throws {
        for device in [pair.first, pair.second] {
            await #expect(throws: SyncError.rolledBack) { try await device.agent.synchronize() }
        }
    }

    private func change(_ pair: DevicePair) async throws {
        try pair.first.update("one", "new")
        try pair.first.add("three", "3")
        try pair.second.delete("two")
        try await pair.synchronize()
    }

    @Test(arguments: [true, false])
    func `after a restored backup of etcd or a lost cluster all devices converge, and nothing is lost`(
        hasBackup: Bool
    ) async throws {
        try await DevicePair.run { pair in
            for account in ["one", "two", "four"] { try pair.first.add(account, "old") }
            try await pair.synchronize()
            try await pair.server.backUp(to: "backup")
            try await change(pair)
            try await pair.server.restore(hasBackup ? "backup" : nil)
            try await expectRolledBack(pair)
            try pair.first.add("five", "5")
            try pair.second.update("four", "newest")
            #expect(try await pair.first.circle.rebuild() == 2)
            try await pair.synchronize()
            try expectEqual(
                pair,
                ["one": "new", "two": nil, "three": "3", "four": "newest", "five": "5"]
            )
            // Later changes reach the other device.
            try pair.second.update("one", "again")
            try pair.first.delete("five")
            try await pair.synchronize()
            try expectEqual(pair, ["one": "again", "five": nil])
            #expect(try pair.first.conflicts + pair.second.conflicts == [])
        }
    }

    @Test func `two admins that rebuild at the same time start one generation`() async throws {
        try await DevicePair.run { pair in
            let third = try Device(pair.server)
            try await third.join(pair.first, as: .admin)
            try await third.agent.synchronize()
            try pair.first.add("one", "1")
            try await pair.synchronize()
            async let other = third.circle.rebuild()
            let own = try await pair.first.circle.rebuild()
            #expect(try await other == 2 && own == 2)
            #expect(try await third.circle.rebuild() == 2)
            for _ in 0..<2 {
                try await third.agent.synchronize()
                try await pair.synchronize()
            }
            try expectEqual(pair, ["one": "1"])
            #expect(try third.value("one") == "1")
            await #expect(throws: SyncError.notAdmin) { _ = try await pair.second.circle.rebuild() }
            await third.end()
        }
    }

    @Test func `a rebuild that is interrupted after any call can be repeated, and no change is lost`()
        async throws
    {
        for count in Sampling.some(3, of: 0..<10, for: "interrupted rebuilds") {
            try await DevicePair.run(as: .admin, over: { BreakingTransport($0) }) { pair, transport in
                for number in 0..<60 { try pair.first.add("account \(number)", "value") }
                try await pair.synchronize()
                try await pair.server.restore(nil)
                try pair.second.update("account 0", "changed")
                transport.breakAfter(count)
                _ = try? await pair.second.circle.rebuild()
                await pair.second.agent.reload()
                try? await pair.second.agent.synchronize()
                transport.repair()
                _ = try await pair.second.circle.rebuild()
                await pair.second.agent.reload()
                try await pair.synchronize()
                try expectEqual(pair, ["account 0": "changed", "account 59": "value"])
            }
        }
    }

    @Test func `a device that was offline during the rebuild sends its changes and receives all others`()
        async throws
    {
        try await DevicePair.run { pair in
            for account in ["one", "two", "three"] { try pair.first.add(account, "old") }
            try await pair.synchronize()
            pair.first.clock.set(-60_000)
            try pair.first.update("one", "earlier")
            try pair.first.delete("two")
            try pair.second.update("one", "later")
            try pair.second.delete("three")
            try pair.second.add("four", "4")
            _ = try await pair.first.circle.rebuild()
            try await pair.first.agent.synchronize()
            pair.first.clock.set(0)
            try await pair.synchronize()
            try expectEqual(pair, ["one": "later", "two": nil, "three": nil, "four": "4"])
            #expect(try pair.first.conflicts + pair.second.conflicts == ["earlier"])
        }
    }

    @Test func `a locked device takes part in a rebuild, and merges what it has received after unlocking`()
        async throws
    {
        try await DevicePair.run { pair in
            for account in ["one", "two", "three"] {
                try pair.first.add(account, "old", protection: .whenUnlocked)
            }
            try await pair.synchronize()
            let keychain = pair.second.keychain
            try keychain.setPasscode(SecretBytes("123456"), cost: LockedStore.cost)
            try pair.second.update("three", "new")
            try keychain.lock()
            try pair.first.delete("one")
            try pair.first.update("two", "new")
            try await pair.first.agent.synchronize()
            try await pair.second.agent.synchronize()
            _ = try await pair.first.circle.rebuild()
            try await pair.synchronize()
            #expect(try SyncStore(keychain).status().locked > 0)
            let files = try pair.second.files
            try await pair.second.agent.synchronize()
            #expect(try pair.second.files == files)

            try keychain.unlock(with: SecretBytes("123456"))
            try await pair.synchronize()
            try expectEqual(pair, ["one": nil, "two": "new", "three": "new"])
        }
    }

    @Test func `an item that only a lost device had written is not lost`() async throws {
        try await DevicePair.run { pair in
            try await pair.synchronize()
            try pair.second.add("only here", "value")
            try await pair.second.agent.synchronize()
            _ = try await pair.first.circle.rebuild()
            try await pair.first.agent.synchronize()
            #expect(try pair.first.value("only here") == "value")
        }
    }

    @Test func `records have new names, and those of the former generation are deleted at the end`()
        async throws
    {
        try await DevicePair.run { pair in
            for number in 0..<3 { try pair.first.add("account \(number)", "value") }
            try await pair.synchronize()
            let former = try await names(pair)
            #expect(former.count == 3)
            _ = try await pair.first.circle.rebuild()
            try await pair.first.agent.synchronize()
            #expect(try await names(pair).count == 6)
            try await pair.synchronize()
            let present = try await names(pair)
            #expect(present.count == 3)
            #expect(Set(present).isDisjoint(with: former))
            try expectEqual(pair, ["account 0": "value"])
        }
    }

    @Test func `a device joins with an invitation from before the rebuild, and a removed one stays removed`()
        async throws
    {
        try await DevicePair.run { pair in
            try pair.second.add("one", "1")
            try await pair.synchronize()
            let removed = try #require(pair.second.circle.devices().first { $0.isThisDevice })
            try await pair.first.circle.remove(removed.identifier)
            try await pair.first.agent.synchronize()
            let invitation = try await pair.first.circle.invite(as: .member)
            _ = try await pair.first.circle.rebuild()
            try await pair.first.agent.synchronize()
            await #expect(throws: SyncError.removed) { try await pair.second.agent.synchronize() }
            let third = try Device(pair.server)
            try await third.join(pair.first, with: invitation)
            try await third.agent.synchronize()
            #expect(try third.value("one") == "1")
            await third.end()
        }
    }

    private func names(_ pair: DevicePair) async throws -> [String] {
        try await pair.first.client.range(prefix: "/kc/1/").entries.map(\.key)
            .filter { $0.contains("/r/") }.map { String($0.suffix(64)) }
    }
}
