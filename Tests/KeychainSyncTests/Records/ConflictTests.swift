// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore
import KeychainSync
import Testing

/// How many versions that lost a conflict are kept, and for how long.
@Suite struct ConflictTests {
    private static let day: Int64 = 86_400_000

    /// Keeps a losing version of an item for each of these accounts.
    private func keep(_ accounts: [String], on device: Device) throws {
        let store = SyncStore(device.keychain, clock: device.clock.milliseconds)
        try device.keychain.synchronize { session throws(StatusError) in
            for account in accounts {
                guard let item = CircleFixture.item(account) else { continue }
                try store.keepConflict(item, of: .zero, at: HybridClock(value: 1), in: session)
            }
        }
    }

    private func accounts(_ device: Device) throws -> [String] {
        try SyncStore(device.keychain, clock: device.clock.milliseconds).conflicts()
            .compactMap { conflict in
                guard case .string(let account)? = conflict.item?.attributes[.account] else { return nil }
                return account
            }
    }

    @Test func `a version is kept for 30 days, and then the agent deletes it`() async throws {
        try await DevicePair.run { pair in
            let device = pair.second
            try keep(["old"], on: device)
            device.clock.set(29 * Self.day)
            try keep(["new"], on: device)
            try await device.agent.synchronize()
            #expect(try accounts(device) == ["old", "new"])
            device.clock.set(31 * Self.day)
            try await device.agent.synchronize()
            #expect(try SyncStore(device.keychain).status().conflicts == 1)
            #expect(try accounts(device) == ["new"])
            device.clock.set(60 * Self.day)
            #expect(try accounts(device) == [])
        }
    }

    @Test(arguments: [-20_000, 20_000])
    func `a version that was saved while the clock was wrong is kept for 30 days`(days: Int64) async throws {
        try await DevicePair.run { pair in
            let device = pair.second
            device.clock.set(days * Self.day)
            try keep(["item"], on: device)
            device.clock.set(0)
            try await device.agent.synchronize()
            device.clock.set(29 * Self.day)
            try await device.agent.synchronize()
            #expect(try accounts(device) == ["item"])
            device.clock.set(31 * Self.day)
            #expect(try accounts(device) == [])
        }
    }

    @Test func `a jump of the clock deletes no version`() async throws {
        try await DevicePair.run { pair in
            try keep(["item"], on: pair.second)
            pair.second.clock.set(20_000 * Self.day)
            #expect(try accounts(pair.second) == ["item"])
            pair.second.clock.set(0)
            #expect(try accounts(pair.second) == ["item"])
        }
    }

    @Test func `versions stay when the device leaves its circle, and can be restored`() async throws {
        try await DevicePair.run { pair in
            try keep(["item"], on: pair.second)
            let store = SyncStore(pair.second.keychain)
            try store.uninstall()
            #expect(!store.isConfigured)
            #expect(try !pair.second.keychain.isSynchronized())
            try store.restore(#require(try store.conflicts().first).number)
            #expect(try accounts(pair.second) == [])
            #expect(try pair.second.value("item") != nil)
        }
    }

    @Test func `the newest 1,000 versions are kept`() async throws {
        try await DevicePair.run { pair in
            try keep((1...1_002).map { "account \($0)" }, on: pair.second)
            let kept = try accounts(pair.second)
            #expect(kept.count == 1_000)
            #expect(kept.first == "account 3" && kept.last == "account 1002")
        }
    }
}
