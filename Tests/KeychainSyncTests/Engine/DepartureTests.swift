// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore
import KeychainSync
import KeychainTestSupport
import Testing

@Suite struct DepartureTests {
    @Test(arguments: [MemberRole.member, .readOnly])
    func `an admin's agent removes a device that has left, and the items stay on both`(
        role: MemberRole
    ) async throws {
        try await DevicePair.run { pair in
            let third = try Device(pair.server)
            try await third.join(pair.first, as: role)
            try pair.first.add("account", "value")
            try await pair.first.agent.synchronize()
            try await third.agent.synchronize()
            try await third.circle.leave()
            #expect(throws: SyncError.notConfigured) { try SyncStore(third.keychain).status() }
            try await pair.first.agent.synchronize()
            #expect(try pair.first.circle.devices().map(\.role) == [.admin, .member])
            #expect(try third.value("account") == "value")
            #expect(try pair.first.value("account") == "value")
            // The admin's agent has deleted the request to leave.
            let left = try await pair.first.client.range(prefix: "/kc/1/").entries
            #expect(!left.contains { $0.key.contains("/l/") })
            try await pair.second.agent.synchronize()
            #expect(try pair.second.circle.devices().count == 2)
            await third.end()
        }
    }

    @Test func `an agent that watches removes a device as soon as it leaves`() async throws {
        try await DevicePair.run { pair in
            let (first, second) = (pair.first, pair.second)
            try await first.agent.synchronize()
            let start = try await first.agent.revision() + 1
            try await second.circle.leave()
            try await first.client.watch(prefix: "/kc/1/", from: start) { message in
                try? await first.agent.receive(message)
                return ((try? first.circle.devices().count) ?? 0) > 1
            }
            #expect(try first.circle.devices().count == 1)
        }
    }

    @Test func `a request to leave that the device has not signed is ignored`() async throws {
        try await DevicePair.run { pair in
            let (first, second) = (pair.first, pair.second)
            try await pair.synchronize()
            let device = try #require(second.circle.devices().first { $0.isThisDevice }).identifier
            let entries = try await first.client.range(prefix: "/kc/1/").entries
            let manifests = entries.sorted { $0.key < $1.key }
                .compactMap { entry in entry.value.flatMap { Manifest(decoding: $0) } }
            let newest = try #require(manifests.last)
            let other = LeaveRequest(of: .random(), in: newest)
            #expect(!other.isValid(in: manifests))
            // Forge a request with the identifier of the member and the signature of another device.
            var forged = other.encoded
            forged.replaceSubrange(20..<36, with: device.bytes)
            var transaction = EtcdTransaction()
            let paths = CirclePaths(circle: newest.circle.hexadecimal, generation: 1)
            transaction.changes = [(paths.leaveRequest(device.hexadecimal), forged)]
            _ = try await first.client.commit(transaction)
            try await first.agent.synchronize()
            #expect(try first.circle.devices().count == 2)
        }
    }

    @Test func `the only admin leaves only by force, but the last device leaves without force`() async throws
    {
        try await DevicePair.run { pair in
            await #expect(throws: SyncError.lastAdmin) { try await pair.first.circle.leave() }
            #expect(try SyncStore(pair.first.keychain).status().devices == 2)
            try await pair.first.circle.leave(force: true)
            #expect(throws: SyncError.notConfigured) { try SyncStore(pair.first.keychain).status() }
            let alone = try Device(pair.server)
            try await alone.circle.create(named: "alone", alone.configuration)
            try await alone.circle.leave()
            #expect(throws: SyncError.notConfigured) { try SyncStore(alone.keychain).status() }
            await alone.end()
        }
    }

    /// The damaged page (connection data, or the state of the first record), and the expected error.
    @Test(arguments: [(1, "not-configured"), (1 << 20, "state-unreadable")] as [(Int64, String)])
    func `a device whose state is unreadable leaves by force, keeps its items, and joins again`(
        page: Int64,
        code: String
    ) async throws {
        try await DevicePair.run { pair in
            let second = pair.second
            try second.add("account", "value")
            try await pair.synchronize()
            try second.keychain.synchronize { session throws(StatusError) in
                guard page == 1 else { return try session.write([1], asPage: page) }
                try session.write([1], asPage: page, sealedLike: .afterFirstUnlockThisDeviceOnly)
            }
            let program = Program(["KEYCHAIN_HOME": second.directory, "KEYCHAIN_BACKEND": "embedded"])
            for arguments in [["run", "--once"], ["leave"]] {
                let failure = #expect(throws: Program.Failure.self) {
                    try program.run("keychain-sync", arguments + ["--json"])
                }
                #expect(failure?.lines.first?.contains(code) == true)
            }
            try program.run("keychain-sync", ["leave", "--force"])
            #expect(try second.value("account") == "value")
            await second.agent.reload()
            try await second.join(pair.first)
            try await second.agent.synchronize()
            #expect(try SyncStore(second.keychain).status().records == 1)
            #expect(try second.conflicts == [])
        }
    }

    @Test func `without the server, a device leaves only by force`() async throws {
        try await DevicePair.run { pair in
            try pair.second.add("account", "value")
            pair.server.end()
            await #expect(throws: SyncError.etcd(.unreachable)) { try await pair.second.circle.leave() }
            try await pair.second.circle.leave(force: true)
            #expect(try pair.second.value("account") == "value")
        }
    }
}
