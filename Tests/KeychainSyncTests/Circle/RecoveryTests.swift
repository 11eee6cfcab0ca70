// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore
import KeychainSync
import KeychainTestSupport
import Testing

/// The recovery code, with which a device becomes an admin if the devices of all admins are lost.
@Suite struct RecoveryTests {
    @Test func `a code has the same keys after it was written down and typed`() throws {
        let code = RecoveryCode(bytes: Array(0..<16))
        let typed = try #require(RecoveryCode(code.exposedText.lowercased()))
        #expect(typed.identifier == code.identifier)
        #expect(typed.device.publicKeys == code.device.publicKeys)
        #expect(RecoveryCode.random().device.identifier != code.device.identifier)
        #expect(RecoveryCode("000G-40R4-0M30-E209-185G-R38E-1WHU") == nil)
    }

    @Test func `a member becomes admin, and removes the lost admin`() async throws {
        try await Self.run { first, second, code in
            try await second.join(first)
            try await first.agent.synchronize()
            try await second.agent.synchronize()
            #expect(try second.circle.devices().map(\.role) == [.admin, .recovery, .member])
            try await second.circle.recover(with: code, named: "second", second.configuration)
            try await second.agent.synchronize()
            #expect(try second.circle.devices().map(\.role) == [.admin, .recovery, .admin])
            let lost = try #require(second.circle.devices().first { $0.name == "first" })
            try await second.circle.remove(lost.identifier)
            try await second.agent.synchronize()
            await #expect(throws: SyncError.removed) { try await first.agent.synchronize() }
            try second.add("account", "value")
            try await second.agent.synchronize()
        }
    }

    @Test func `a new device with the code joins as admin, and reads the items`() async throws {
        try await Self.run { first, second, code in
            try first.add("account", "value")
            try await first.agent.synchronize()
            try await second.circle.recover(with: code, named: "second", second.configuration)
            try await second.agent.synchronize()
            #expect(try second.value("account") == "value")
            #expect(try second.circle.devices().map(\.role) == [.admin, .recovery, .admin])
            try second.update("account", "changed")
            try await second.agent.synchronize()
            try await first.agent.synchronize()
            #expect(try first.value("account") == "changed")
        }
    }

    @Test func `another code, or a code that was removed, cannot recover the circle`() async throws {
        try await Self.run { first, second, code in
            await #expect(throws: SyncError.recoveryCodeUnknown) {
                try await second.circle.recover(with: .random(), named: "second", second.configuration)
            }
            let member = try #require(first.circle.devices().first { $0.role == .recovery })
            try await first.circle.remove(member.identifier)
            await #expect(throws: SyncError.recoveryCodeUnknown) {
                try await second.circle.recover(with: code, named: "second", second.configuration)
            }
            #expect(throws: SyncError.notConfigured) { try SyncStore(second.keychain).status() }
        }
    }

    @Test func `the last admin leaves only by force, although there is a recovery code`() async throws {
        try await Self.run { first, second, _ in
            try await second.join(first)
            await #expect(throws: SyncError.lastAdmin) { try await first.circle.leave() }
            let own = try #require(first.circle.devices().first { $0.isThisDevice })
            await #expect(throws: SyncError.lastAdmin) { try await first.circle.remove(own.identifier) }
            #expect(try first.circle.devices().map(\.role) == [.admin, .recovery])
            try await first.circle.leave(force: true)
            #expect(throws: SyncError.notConfigured) { try SyncStore(first.keychain).status() }
        }
    }

    @Test func `a member recovers without the code's entry in etcd, which a new cluster does not have`()
        async throws
    {
        try await Self.run { first, second, code in
            try await second.join(first)
            try await second.agent.synchronize()
            var transaction = EtcdTransaction()
            transaction.changes = [(CirclePaths.recovery(code.identifier.hexadecimal), nil)]
            _ = try await first.client.commit(transaction)
            try await second.circle.recover(with: code, named: "second", second.configuration)
            try await second.agent.synchronize()
            #expect(try second.circle.devices().map(\.role) == [.admin, .recovery, .admin])
            try await second.circle.leave(force: true)
            await #expect(throws: SyncError.recoveryCodeUnknown) {
                try await second.circle.recover(with: code, named: "second", second.configuration)
            }
        }
    }

    @Test func `an earlier request to leave does not remove a device that has recovered`() async throws {
        let server = try await EtcdServer()
        defer { server.end() }
        let breaking = BreakingTransport(try server.transport())
        try await Self.run(server, breaking) { first, second, code in
            try await second.join(first)
            try await second.agent.synchronize()
            // Let the first call read the device lists, and lose the answer to the second, the request to leave.
            breaking.breakAfter(1)
            await #expect(throws: SyncError.resultUnknown) { try await second.circle.leave() }
            breaking.repair()
            let entries = try await first.client.range(prefix: "/kc/1/").entries
            #expect(entries.contains { $0.key.contains("/l/") })
            try await second.circle.recover(with: code, named: "second", second.configuration)
            try await second.agent.synchronize()
            try await first.agent.synchronize()
            #expect(try first.circle.devices().map(\.role) == [.admin, .recovery, .admin])
        }
    }

    @Test func `a circle that the server has forged is refused`() async throws {
        try await Self.run { first, second, code in
            let entries = try await first.client.range(prefix: "/kc/1/").entries
            let manifest = try #require(
                entries.compactMap { entry in entry.value.flatMap { Manifest(decoding: $0) } }.first
            )
            // The server knows the public keys of the code, and forges a circle with a device list of its own.
            let server = DeviceKeys.random()
            let keys = EpochKeys(epoch: 1, key: .random(), index: .random())
            let draft = Manifest.Draft(
                circle: manifest.circle,
                time: 0,
                members: [(server.publicKeys, .admin, "server")]
            )
            let none = Manifest.previousKey(nil, under: keys, in: manifest.circle)
            let one = try #require(Manifest(draft, keys: keys, previousKey: none, by: server))
            var next = Manifest.Draft(
                circle: manifest.circle,
                time: 0,
                members: draft.members + [(code.device.publicKeys, .recovery, "recovery code")]
            )
            (next.version, next.previous) = (2, one.digest)
            let two = try #require(Manifest(next, keys: keys, previousKey: none, by: server))
            #expect(one.isValidFirst && two.isValid(after: one))
            let paths = CirclePaths(circle: manifest.circle.hexadecimal, generation: 1)
            var transaction = EtcdTransaction()
            transaction.changes = [(paths.manifest(1), one.encoded), (paths.manifest(2), two.encoded)]
            _ = try await first.client.commit(transaction)
            await #expect(throws: SyncError.manifestInvalid) {
                try await second.circle.recover(with: code, named: "second", second.configuration)
            }
        }
    }

    /// Runs a test with a device whose circle has a recovery code, and one without a circle.
    private static func run(
        _ body: (Device, Device, RecoveryCode) async throws -> Void
    ) async throws {
        let server = try await EtcdServer()
        defer { server.end() }
        try await run(server, nil, body)
    }

    private static func run(
        _ server: EtcdServer,
        _ transport: BreakingTransport?,
        _ body: (Device, Device, RecoveryCode) async throws -> Void
    ) async throws {
        let (first, second) = (try Device(server), try Device(server, over: transport))
        let code = RecoveryCode.random()
        do {
            try await first.circle.create(named: "first", first.configuration, recovery: code)
            try await body(first, second, code)
        } catch {
            await first.end()
            await second.end()
            throw error
        }
        await first.end()
        await second.end()
    }
}
