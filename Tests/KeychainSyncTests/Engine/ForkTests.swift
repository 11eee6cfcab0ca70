// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainSync
import Testing

/// A server that ignores the comparisons of transactions, and two copies of one device.
@Suite struct ForkTests {
    /// Runs a test with two devices; the second one's transactions are applied without comparisons.
    private func withFork(
        as role: MemberRole = .member,
        _ body: (DevicePair, PausingTransport) async throws -> Void
    ) async throws {
        try await DevicePair.run(
            as: role,
            over: { PausingTransport($0, removesComparisons: true) }
        ) { pair, transport in
            try pair.first.add("account", "old")
            try await pair.synchronize()
            try await body(pair, transport)
        }
    }

    private func identifier(of device: Device) throws -> Bytes16 {
        try #require(device.circle.devices().first { $0.isThisDevice }).identifier
    }

    @Test func `what a device writes after its removal is refused`() async throws {
        try await withFork { pair, transport in
            let device = try identifier(of: pair.second)
            try pair.second.update("account", "after the removal")
            transport.beforeTransaction { try await pair.first.circle.remove(device) }
            // The removed device need not notice that it was removed.
            try? await pair.second.agent.synchronize()
            for _ in 0..<2 {
                await #expect(throws: SyncError.inconsistent) { try await pair.first.agent.synchronize() }
            }
            #expect(try pair.first.value("account") == "old")
        }
    }

    @Test func `a second manifest with the version of a known one is refused`() async throws {
        try await withFork(as: .admin) { pair, transport in
            let third = try Device(pair.server)
            try await third.join(pair.first)
            try await pair.synchronize()
            let device = try identifier(of: third)
            transport.beforeTransaction {
                try await pair.first.circle.remove(device)
                try await pair.first.agent.synchronize()
            }
            try await pair.second.circle.remove(device)
            await #expect(throws: SyncError.manifestInvalid) { try await pair.first.agent.synchronize() }
            await third.end()
        }
    }

    /// Copies the store of a device, while nothing uses the store.
    private func copy(_ device: Device, _ server: EtcdServer, removesComparisons: Bool) throws -> Device {
        let path = device.directory + ".copy"
        try FileManager.default.copyItem(atPath: device.directory, toPath: path)
        let transport = PausingTransport(try server.transport(), removesComparisons: removesComparisons)
        return try Device(server, over: transport, in: path)
    }

    @Test func `a sequence number with two contents shows that the device's keys are used twice`()
        async throws
    {
        try await DevicePair.run { pair in
            try pair.second.add("account", "old")
            try await pair.synchronize()
            let copy = try copy(pair.second, pair.server, removesComparisons: true)
            let former = try await pair.first.client.range(prefix: "/kc/1/").entries
            try pair.second.update("account", "original")
            try await pair.second.agent.synchronize()
            // Write the server's former entries again, so that the copy does not see the original's new `Head`.
            var transaction = EtcdTransaction()
            transaction.changes = former.map { ($0.key, $0.value) }
            _ = try await pair.first.client.commit(transaction)
            try copy.update("account", "copy")
            try await copy.agent.synchronize()
            await #expect(throws: SyncError.deviceKeyUsedTwice) { try await pair.second.agent.synchronize() }
            #expect(try pair.second.value("account") == "original")
            await copy.end()
        }
    }

    @Test func `two copies of a store that are used on one day are noticed, and nothing is lost`()
        async throws
    {
        try await DevicePair.run { pair in
            try pair.second.add("account", "old")
            try await pair.synchronize()
            let copy = try copy(pair.second, pair.server, removesComparisons: false)
            try pair.second.update("account", "original")
            try await pair.second.agent.synchronize()
            // This copy looks like a store that was restored from a backup, so it may continue once.
            try copy.add("other", "copy")
            try await copy.agent.synchronize()
            #expect(try copy.value("account") == "original")
            try await pair.second.agent.synchronize()
            #expect(try pair.second.value("other") == "copy")
            try pair.second.update("account", "again")
            try await pair.second.agent.synchronize()
            try copy.update("other", "stays here")
            await #expect(throws: SyncError.deviceKeyUsedTwice) { try await copy.agent.synchronize() }
            #expect(try copy.value("other") == "stays here")
            await copy.end()
        }
    }
}
