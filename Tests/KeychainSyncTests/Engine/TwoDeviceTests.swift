// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore
import KeychainSync
import KeychainTestSupport
import Testing

@Suite struct TwoDeviceTests {
    private func withDevices(_ body: (Device, Device, EtcdServer) async throws -> Void) async throws {
        let server = try await EtcdServer()
        defer { server.end() }
        let (first, second) = (try Device(server), try Device(server))
        do {
            try await first.circle.create(named: "first", first.configuration)
            try await second.join(first)
            try await first.agent.synchronize()
            try await body(first, second, server)
        } catch {
            await first.end()
            await second.end()
            throw error
        }
        await first.end()
        await second.end()
    }

    @Test func `adding, updating and deleting an item takes effect on the other device`() async throws {
        try await withDevices { first, second, _ in
            try first.add("account", "one")
            try first.add("local", "stays", synchronizable: false)
            try await first.agent.synchronize()
            try await second.agent.synchronize()
            #expect(try second.value("account") == "one")
            #expect(try second.value("local") == nil)

            try second.update("account", "two")
            try await second.agent.synchronize()
            try await first.agent.synchronize()
            #expect(try first.value("account") == "two")

            try first.delete("account")
            try await first.agent.synchronize()
            try await second.agent.synchronize()
            #expect(try second.value("account") == nil)
            #expect(try SyncStore(second.keychain).status().outbox == 0)

            try second.add("account", "three")
            try await second.agent.synchronize()
            try await first.agent.synchronize()
            #expect(try first.value("account") == "three")
            #expect(try first.conflicts == [])
            #expect(
                try SyncStore(first.keychain).status().fingerprint
                    == SyncStore(second.keychain).status().fingerprint
            )
        }
    }

    @Test func `an item is added again after a device has seen only its tombstone`() async throws {
        try await withDevices { first, second, _ in
            try first.add("account", "one")
            try await first.agent.synchronize()
            try first.delete("account")
            try await first.agent.synchronize()
            try await second.agent.synchronize()
            #expect(try second.value("account") == nil)

            try first.add("account", "two")
            try await first.agent.synchronize()
            for _ in 0..<2 {
                try await second.agent.synchronize()
                try await first.agent.synchronize()
            }
            #expect(try first.value("account") == "two")
            #expect(try second.value("account") == "two")
            #expect(try SyncStore(second.keychain).status().outbox == 0)
        }
    }

    @Test func `a device whose clock is slow adds an item of which it has seen only the tombstone`()
        async throws
    {
        try await withDevices { first, second, _ in
            try first.add("account", "one")
            try await first.agent.synchronize()
            try first.delete("account")
            try await first.agent.synchronize()
            try await second.agent.synchronize()

            second.clock.set(-3_600_000)
            try second.add("account", "two")
            for _ in 0..<2 {
                try await second.agent.synchronize()
                try await first.agent.synchronize()
            }
            #expect(try first.value("account") == "two")
            #expect(try second.value("account") == "two")
        }
    }

    @Test func `the later of two concurrent edits wins on both devices, and the other one is kept`()
        async throws
    {
        try await withDevices { first, second, _ in
            try first.add("account", "base")
            try await first.agent.synchronize()
            try await second.agent.synchronize()
            first.clock.set(-3_600_000)
            try first.update("account", "earlier")
            try second.update("account", "later")
            try await first.agent.synchronize()
            try await second.agent.synchronize()
            try await first.agent.synchronize()
            #expect(try first.value("account") == "later")
            #expect(try second.value("account") == "later")
            let kept = try first.conflicts + second.conflicts
            #expect(Set(kept) == ["earlier"])

            let conflict = try #require(try SyncStore(second.keychain).conflicts().first)
            try SyncStore(second.keychain).restore(conflict.number)
            try await second.agent.synchronize()
            try await first.agent.synchronize()
            #expect(try first.value("account") == "earlier")
        }
    }

    @Test func `if two devices add the same item, both end up with the same version`() async throws {
        try await withDevices { first, second, _ in
            try first.add("account", "first")
            try second.add("account", "second")
            try await first.agent.synchronize()
            try await second.agent.synchronize()
            try await first.agent.synchronize()
            let value = try #require(try first.value("account"))
            #expect(try second.value("account") == value)
            #expect(
                Set(try first.conflicts + second.conflicts) == Set(["first", "second"]).subtracting([value])
            )
        }
    }

    @Test func `two circles on one server do not see each other's items`() async throws {
        try await withDevices { first, second, server in
            let (third, fourth) = (try Device(server), try Device(server))
            try await third.circle.create(named: "third", third.configuration)
            try await fourth.join(third)
            try first.add("account", "one")
            try third.add("account", "two")
            for _ in 0..<2 {
                for device in [first, third, second, fourth] { try await device.agent.synchronize() }
            }
            for (device, value) in [(second, "one"), (fourth, "two")] {
                #expect(try device.value("account") == value)
                #expect(try SyncStore(device.keychain).status().records == 1)
                #expect(try device.conflicts == [])
            }
            for device in [third, fourth] { await device.end() }
        }
    }

    @Test func `a removed device reads nothing that is written afterwards, and its items stay`() async throws
    {
        try await withDevices { first, second, server in
            try first.add("before", "one")
            try second.add("from second", "two")
            for device in [first, second, first] { try await device.agent.synchronize() }
            try await first.circle.remove(
                second.circle.devices().first { $0.isThisDevice }?.identifier ?? .zero
            )
            try await first.agent.synchronize()
            try first.add("after", "three")
            try await first.agent.synchronize()
            await #expect(throws: SyncError.removed) { try await second.agent.synchronize() }
            #expect(try second.value("after") == nil)
            #expect(try second.value("before") == "one")
            #expect(try first.value("from second") == "two")
            // A new device reads what the removed one has written.
            let third = try Device(server)
            try await third.join(first)
            try await third.agent.synchronize()
            #expect(try third.value("from second") == "two")
            #expect(try third.value("after") == "three")
            await third.end()
        }
    }

    @Test func `a read-only device receives, and its changes stay local`() async throws {
        try await withDevices { first, _, server in
            let reader = try Device(server)
            try await reader.join(first, as: .readOnly)
            try first.add("account", "one")
            try await first.agent.synchronize()
            try await reader.agent.synchronize()
            #expect(try reader.value("account") == "one")
            try reader.add("mine", "two")
            try await reader.agent.synchronize()
            try await first.agent.synchronize()
            #expect(try first.value("mine") == nil)
            #expect(try SyncStore(reader.keychain).status().outbox == 1)
            await reader.end()
        }
    }

    @Test func `an expired invitation, an unknown code, and a device that belongs to a circle are refused`()
        async throws
    {
        try await withDevices { first, second, server in
            let invitation = try await first.circle.invite(as: .member)
            first.clock.set(601_000)
            await #expect(throws: SyncError.invitationUnknown) {
                _ = try await first.circle.request(for: invitation)
            }
            let request = JoinRequest(.random(), name: "late", manifest: .zero, code: invitation.code)
            await #expect(throws: SyncError.invitationUnknown) {
                try await first.circle.accept(request, of: invitation)
            }
            first.clock.set(0)
            await #expect(throws: SyncError.alreadyConfigured) {
                try await second.circle.join(invitation.code, named: "again", second.configuration) { true }
            }
            let third = try Device(server)
            await #expect(throws: SyncError.invitationUnknown) {
                try await third.circle.join(.random(), named: "third", third.configuration) { true }
            }
            await third.end()
        }
    }

    @Test func `etcd deletes an invitation when it expires, so that its code is unknown`() async throws {
        try await withDevices { first, _, server in
            let third = try Device(server)
            let invitation = try await first.circle.invite(as: .member, seconds: 2)
            let key = CirclePaths.invitation(invitation.code.identifier.hexadecimal)
            #expect(try await first.client.entry(key).entries.count == 1)
            #expect(try await Device.waits { try await first.client.entry(key).entries.isEmpty })
            await #expect(throws: SyncError.invitationUnknown) {
                try await third.circle.join(invitation.code, named: "third", third.configuration) { true }
            }
            await #expect(throws: SyncError.invitationUnknown) {
                _ = try await first.circle.request(for: invitation)
            }
            await third.end()
        }
    }

    @Test func `a code that a device has used, or is using, is refused for another`() async throws {
        try await withDevices { first, _, server in
            let (third, fourth) = (try Device(server), try Device(server))
            let invitation = try await first.circle.invite(as: .member)
            await #expect(throws: SyncError.joinTimedOut) {
                try await third.circle.join(invitation.code, named: "third", third.configuration) { false }
            }
            await #expect(throws: SyncError.invitationUnknown) {
                try await fourth.circle.join(invitation.code, named: "fourth", fourth.configuration) { true }
            }
            let request = try #require(try await first.circle.request(for: invitation))
            try await first.circle.accept(request, of: invitation)
            await #expect(throws: SyncError.invitationUnknown) {
                try await fourth.circle.join(invitation.code, named: "fourth", fourth.configuration) { true }
            }
            try await first.agent.synchronize()
            #expect(try first.circle.devices().count == 3)
            for device in [third, fourth] { await device.end() }
        }
    }

    @Test func `etcd's files contain no value, no name and nothing of items that do not leave the device`()
        async throws
    {
        try await withDevices { first, second, server in
            let canaries = ["canary-account", "canary-value", "canary-local", "canary-device-bound"]
            try first.add(canaries[0], canaries[1])
            try first.add(canaries[2], "x", synchronizable: false)
            try first.add(canaries[3], canaries[3], protection: .whenUnlockedThisDeviceOnly)
            try await first.agent.synchronize()
            try await second.agent.synchronize()
            #expect(try second.value(canaries[0]) == canaries[1])
            #expect(try second.value(canaries[3]) == nil)
            for canary in canaries + ["service", "first"] {
                #expect(try !server.hasFile(containing: Array(canary.utf8)), "\(canary)")
            }
            #expect(try server.hasFile(containing: Array("/kc/1/".utf8)))
        }
    }

    @Test func `many items are pushed in several transactions`() async throws {
        try await withDevices { first, second, _ in
            for number in 0..<150 { try first.add("account \(number)", "value \(number)") }
            try await first.agent.synchronize()
            try await second.agent.synchronize()
            for number in 0..<150 { #expect(try second.value("account \(number)") == "value \(number)") }
        }
    }
}
