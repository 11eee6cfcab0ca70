// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore
import KeychainSync
import Testing

/// Changes of an item's primary key, protection class or synchronizability, and changes by devices with wrong clocks.
@Suite struct ItemChangeTests {
    @Test func `a renamed item has its new name on the other device, and not the old one`() async throws {
        try await DevicePair.run { pair in
            try pair.first.add("old", "value")
            try await pair.first.agent.synchronize()
            try await pair.synchronize()
            for (old, new) in [("old", "new"), ("new", "old"), ("old", "new")] {
                try pair.second.update(old, [.account: .string(new)])
                try await pair.synchronize()
                #expect(try pair.first.value(new) == "value")
                #expect(try pair.first.value(old) == nil)
                #expect(try pair.second.value(new) == "value")
            }
            #expect(try SyncStore(pair.second.keychain).status().outbox == 0)
            #expect(try pair.first.conflicts + pair.second.conflicts == [])
        }
    }

    @Test func `a device whose clock is in 1970 loses concurrent edits, but no item`() async throws {
        try await DevicePair.run { pair in
            let (first, second) = (pair.first, pair.second)
            second.clock.set(-Int64(SystemTime.milliseconds()))
            try first.add("account", "old")
            try await first.agent.synchronize()
            try await pair.synchronize()
            try second.update("account", "successor")
            try second.add("other", "of 1970")
            try await pair.synchronize()
            #expect(try first.value("account") == "successor")
            #expect(try first.value("other") == "of 1970")

            try first.update("account", "of today")
            try second.update("account", "of 1970")
            try await pair.synchronize()
            for device in [first, second] { #expect(try device.value("account") == "of today") }
            #expect(try first.conflicts + second.conflicts == ["of 1970"])
            let status = try SyncStore(second.keychain, clock: second.clock.milliseconds).status()
            #expect(status.outbox == 0 && status.problem == nil && !status.isOutOfContact)
        }
    }

    @Test func `a persistent reference stays the same when synchronization changes its item`() async throws {
        try await DevicePair.run { pair in
            // Both devices add the item, and one version wins.
            try pair.first.add("account", "first")
            try pair.second.add("account", "second")
            let references = [try pair.first.reference("account"), try pair.second.reference("account")]
            try await pair.first.agent.synchronize()
            try await pair.synchronize()
            // Then one device changes the item, both change it concurrently, and one changes its label.
            try pair.first.update("account", "one")
            try await pair.synchronize()
            for device in [pair.first, pair.second] { try device.update("account", device.directory) }
            try await pair.synchronize()
            try pair.second.update("account", [.label: .string("label")])
            try await pair.synchronize()
            #expect(try pair.first.value("account") == pair.second.value("account"))
            #expect(
                [try pair.first.reference("account"), try pair.second.reference("account")] == references
            )
            #expect(references.allSatisfy { $0 != nil })
        }
    }

    @Test func `an item that is no longer synchronizable is deleted on the other device`() async throws {
        try await DevicePair.run { pair in
            try pair.first.add("account", "value")
            try await pair.first.agent.synchronize()
            try await pair.synchronize()
            try pair.second.update("account", [.synchronizable: .number(0)])
            try await pair.synchronize()
            #expect(try pair.first.value("account") == nil)
            #expect(try pair.second.value("account") == "value")

            try pair.second.update("account", [.synchronizable: .number(1)])
            try await pair.synchronize()
            #expect(try pair.first.value("account") == "value")
        }
    }

    @Test func `a device-bound class keeps changes local until the item has another class`() async throws {
        try await DevicePair.run { pair in
            try pair.first.add("account", "old")
            try await pair.first.agent.synchronize()
            try await pair.synchronize()
            try pair.second.update(
                "account",
                [.accessible: .string(ProtectionClass.whenUnlockedThisDeviceOnly.name)]
            )
            try pair.second.update("account", "device-bound")
            try await pair.synchronize()
            #expect(try pair.first.value("account") == "old")
            #expect(try pair.second.value("account") == "device-bound")
            #expect(try SyncStore(pair.second.keychain).status().localOnly == 1)

            try pair.second.update(
                "account",
                [.accessible: .string(ProtectionClass.whenUnlocked.name)]
            )
            try await pair.synchronize()
            #expect(try pair.first.value("account") == "device-bound")
        }
    }

    @Test func `a deletion of an item that another device has changed later keeps the change`() async throws {
        try await DevicePair.run { pair in
            try pair.first.add("account", "old")
            try await pair.first.agent.synchronize()
            try await pair.synchronize()
            pair.first.clock.set(-3_600_000)
            try pair.first.delete("account")
            try pair.second.update("account", "new")
            try await pair.first.agent.synchronize()
            try await pair.synchronize()
            #expect(try pair.first.value("account") == "new")
            #expect(try pair.second.value("account") == "new")
        }
    }

    @Test(arguments: [0, 4_200_000_000_000])
    func `an item that a device with a wrong clock has written can be changed by others`(
        time: Int64
    ) async throws {
        try await DevicePair.run { pair in
            pair.second.clock.set(time - Int64(SystemTime.milliseconds()))
            try pair.second.add("account", "wrong clock")
            try await pair.synchronize()
            #expect(try pair.first.value("account") == "wrong clock")
            try pair.first.update("account", "right clock")
            try await pair.first.agent.synchronize()
            try await pair.synchronize()
            #expect(try pair.second.value("account") == "right clock")
            try pair.second.update("account", "wrong clock again")
            try await pair.synchronize()
            #expect(try pair.first.value("account") == "wrong clock again")
        }
    }
}
