// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore
import KeychainSync
import Testing

/// Commands that change the circle of devices, and do not receive the answer to their transaction.
@Suite struct LostAnswerTests {
    /// A device, and its transport, which can lose answers.
    private struct Member {
        let device: Device
        let transport: BreakingTransport

        init(_ server: EtcdServer) throws {
            transport = BreakingTransport(try server.transport())
            device = try Device(server, over: transport)
        }

        /// Runs a command of this device whose transaction is applied, and whose answer is lost.
        func loses<Result: Sendable>(
            _ command: (Circle) async throws -> Result
        ) async throws -> Result {
            transport.loseTransaction()
            let result = try await command(device.circle)
            #expect(transport.hasLost)
            return result
        }

        var identifier: Bytes16 {
            get throws { try device.circle.devices().first { $0.isThisDevice }?.identifier ?? .zero }
        }
    }

    private func withMembers(_ body: ([Member]) async throws -> Void) async throws {
        let server = try await EtcdServer()
        defer { server.end() }
        let members = try (0..<3).map { _ in try Member(server) }
        do {
            try await body(members)
        } catch {
            for member in members { await member.device.end() }
            throw error
        }
        for member in members { await member.device.end() }
    }

    @Test func `creating, inviting, joining, removing, leaving and rebuilding report what etcd has done`()
        async throws
    {
        try await withMembers { members in
            let (first, second, third) = (members[0], members[1], members[2])
            try await first.loses {
                try await $0.create(named: "first", first.device.configuration)
            }
            let invitation = try await first.loses { try await $0.invite(as: .member) }
            second.transport.loseTransaction()
            first.transport.loseTransaction()
            try await second.device.join(first.device, with: invitation)
            #expect(first.transport.hasLost && second.transport.hasLost)
            try first.device.add("account", "value")
            try await first.device.agent.synchronize()
            try await second.device.agent.synchronize()
            #expect(try second.device.value("account") == "value")

            #expect(try await first.loses { try await $0.rebuild() } == 2)
            try await third.device.join(first.device)
            let identifier = try third.identifier
            try await first.loses { try await $0.remove(identifier) }
            await #expect(throws: SyncError.removed) { try await third.device.agent.synchronize() }
            try await first.device.agent.synchronize()
            try await second.device.agent.synchronize()
            try await second.loses { try await $0.leave() }
            try await first.device.agent.synchronize()
            #expect(try first.device.circle.devices().count == 1)
        }
    }

    @Test func `a request that was accepted before the loss of its answer is noticed is not sent again`()
        async throws
    {
        try await withMembers { members in
            let (first, second) = (members[0].device, members[1])
            try await first.circle.create(named: "first", first.configuration)
            let invitation = try await first.circle.invite(as: .member)
            second.transport.loseTransaction {
                guard let request = try? await first.circle.request(for: invitation) else { return }
                try? await first.circle.accept(request, of: invitation)
            }
            let (circle, configuration) = (second.device.circle, second.device.configuration)
            // Returning false ends the call if the first look at the server does not find this device in the circle.
            try await circle.join(invitation.code, named: "second", configuration) { false }
            #expect(second.transport.hasLost)
            #expect(try second.device.circle.devices().count == 2)
        }
    }

    @Test func `recovering reports what etcd has done`() async throws {
        try await withMembers { members in
            let code = RecoveryCode.random()
            let (first, second) = (members[0].device, members[1])
            try await first.circle.create(named: "first", first.configuration, recovery: code)
            try await second.loses {
                try await $0.recover(with: code, named: "second", second.device.configuration)
            }
            #expect(try second.device.circle.devices().map(\.role) == [.admin, .recovery, .admin])
        }
    }

    @Test func `a change that another admin has overtaken is not reported as made`() async throws {
        try await DevicePair.run(as: .admin, over: { PausingTransport($0) }) { pair, transport in
            let third = try Device(pair.server)
            try await third.join(pair.first)
            try await pair.synchronize()
            let device = try #require(pair.first.circle.devices().last).identifier
            transport.beforeTransaction { try await pair.first.circle.remove(device) }
            await #expect(throws: SyncError.manifestConflict) {
                try await pair.second.circle.remove(device)
            }
            await third.end()
        }
    }

    @Test func `a change whose result is unknown is reported as such`() async throws {
        try await withMembers { members in
            let (first, second) = (members[0], members[1])
            try await first.device.circle.create(named: "first", first.device.configuration)
            try await second.device.join(first.device)
            try await first.device.agent.synchronize()
            let identifier = try second.identifier
            // Let the call read the device lists and the device's `Head`, and lose the answer to its change.
            first.transport.breakAfter(2)
            let error = await #expect(throws: SyncError.self) {
                try await first.device.circle.remove(identifier)
            }
            #expect(error == .resultUnknown && error?.code == "result-unknown")
            first.transport.repair()
            try await first.device.agent.synchronize()
            #expect(try first.device.circle.devices().count == 1)
        }
    }

    @Test func `an interrupted rebuild leaves a newest revision that covers its manifests`() async throws {
        try await DevicePair.run(as: .admin, over: { BreakingTransport($0) }) { pair, transport in
            try await pair.synchronize()
            try await pair.server.restore(nil)
            // Let the call read the device lists twice and write the first missing one; lose the next answer of etcd.
            transport.breakAfter(3)
            await #expect(throws: SyncError.self) { _ = try await pair.second.circle.rebuild() }
            let entries = try await pair.first.client.range(prefix: "/kc/1/").entries
            let manifest = try #require(entries.last { $0.key.contains("/m/") })
            let newest = try #require(entries.first { $0.key.hasSuffix(".t") })
            #expect(newest.revision >= manifest.revision)
        }
    }
}
