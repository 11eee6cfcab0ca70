// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import KeychainClient
import KeychainControl
import KeychainItems
import KeychainModel
import KeychainStore
import KeychainSync
import KeychainTestSupport
import Testing

/// `KeychainControl.synchronization`, which runs `keychain-sync`, and notifications of changes by an agent.
@Suite(.timeLimit(.minutes(10))) struct InterfaceTests {
    private static func interface(_ device: Device) -> KeychainSynchronization {
        var interface = KeychainSynchronization(directory: device.directory)
        interface.program = Program.folder + "/keychain-sync"
        return interface
    }

    private static func join(
        _ other: KeychainSynchronization,
        to first: KeychainSynchronization,
        _ server: KeychainSynchronizationServer
    ) async throws -> SynchronizedDevice {
        try await invite(first, other, server) { $0.name == "laptop" }.get()
    }

    /// Lets a device join with the code of an invitation; both calls block, so each runs on a thread of its own.
    private static func invite(
        _ first: KeychainSynchronization,
        _ other: KeychainSynchronization,
        _ server: KeychainSynchronizationServer,
        confirm: @escaping @Sendable (SynchronizedDevice) -> Bool
    ) async -> Result<SynchronizedDevice, any Error> {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let joining = DispatchGroup()
                let result = Result {
                    try first.invite { code in
                        DispatchQueue.global().async(group: joining) {
                            try? other.join(code.lowercased(), server, name: "laptop")
                        }
                    } confirm: { device in
                        confirm(device)
                    }
                }
                joining.wait()
                continuation.resume(returning: result)
            }
        }
    }

    @Test func `every verb of security sync can be called`() async throws {
        try await withDevices { first, second, server in
            let (desktop, laptop) = (Self.interface(first), Self.interface(second))
            try desktop.create(server, name: "desktop")
            let device = try await Self.join(laptop, to: desktop, server)
            #expect(device.role == .member && device.identifier.count == 32)
            try first.add("account", "canary one")
            for keychain in [desktop, laptop, desktop] { try keychain.synchronize() }
            #expect(try desktop.devices().map(\.name) == ["desktop", "laptop"])
            #expect(try laptop.devices().map(\.isThisDevice) == [false, true])
            let status = try laptop.status()
            #expect(status.itemCount == 1 && status.unsentCount == 0 && status.role == .member)
            #expect(status.fingerprint == (try desktop.status().fingerprint))

            // Cause a conflict, and restore the version that lost.
            first.clock.set(-60_000)
            try first.update("account", "canary two")
            first.clock.set(0)
            try second.update("account", "canary three")
            for keychain in [desktop, laptop, desktop] { try keychain.synchronize() }
            let conflict = try #require(laptop.conflicts().first)
            #expect(conflict.account == "account" && conflict.service == "service")
            try laptop.restore(conflict)
            for keychain in [laptop, desktop] { try keychain.synchronize() }
            #expect(try first.value("account") == "canary two")

            try laptop.pause()
            #expect(try laptop.status().isPaused)
            try laptop.resume()
            #expect(try desktop.rebuild() == 2)
            for keychain in [desktop, laptop] { try keychain.synchronize() }
            #expect(try laptop.status().generation == 2)
            try desktop.remove(device)
            #expect(throws: KeychainSynchronizationError.self) { try laptop.synchronize() }
            try laptop.leave(isForced: true)
            try desktop.leave()
            #expect(try first.value("account") == "canary two")
        }
    }

    @Test func `a recovery code makes another device an admin`() async throws {
        try await withDevices { first, second, server in
            let code = try #require(try Self.interface(first).create(server, hasRecoveryCode: true))
            try Self.interface(second).recover(with: code, server, name: "laptop")
            #expect(try Self.interface(second).devices().map(\.role) == [.admin, .recovery, .admin])
        }
    }

    @Test func `a failed call throws the code of the problem`() async throws {
        try await withDevices { first, second, server in
            var interface = Self.interface(first)
            func code(_ body: () throws -> Void) -> String? {
                (#expect(throws: KeychainSynchronizationError.self, performing: body))?.code
            }
            #expect(code { _ = try interface.status() } == "not-configured")
            #expect(code { try interface.join("wrong", server) } == "code-malformed")
            try interface.create(server)
            #expect(code { try interface.create(server) } == "already-configured")
            let refused = await Self.invite(interface, Self.interface(second), server) { _ in false }
            #expect(code { _ = try refused.get() } == "invitation-refused")
            #expect(code { _ = try Self.interface(second).status() } == "not-configured")
            interface.program = "/nonexistent/keychain-sync"
            #expect(code { _ = try interface.status() } == "program-missing")
        }
    }

    @Test func `Vault.changes reports a change of another device`() async throws {
        try await DevicePair.run { pair in
            let agent = try Program([
                "KEYCHAIN_HOME": pair.second.directory, "KEYCHAIN_BACKEND": "embedded",
            ]).startAgent()
            defer { agent.end() }
            let caller = Caller(applicationIdentifier: "group", accessGroups: ["group"])
            let connection = KeychainConnection(keychain: pair.second.keychain, caller: caller)
            try await SystemKeychain.with(connection) {
                var changes = Vault(service: "service").changes().makeAsyncIterator()
                for (change, kind) in [
                    ({ try pair.first.add("account", "canary") }, ItemChange.Kind.added),
                    ({ try pair.first.update("account", "canary two") }, .changed),
                    ({ try pair.first.delete("account") }, .removed),
                ] as [(() throws -> Void, ItemChange.Kind)] {
                    try change()
                    try await pair.first.agent.synchronize()
                    let expected = ItemChange(kind: kind, itemClass: .genericPassword, accessGroup: "group")
                    #expect(await changes.next() == expected)
                }
            }
        }
    }

    private func withDevices(
        _ body: (Device, Device, KeychainSynchronizationServer) async throws -> Void
    ) async throws {
        let etcd = try await EtcdServer()
        defer { etcd.end() }
        let (first, second) = (try Device(etcd), try Device(etcd))
        do {
            try await body(first, second, .init(endpoints: etcd.configuration.endpoints))
        } catch {
            await first.end()
            await second.end()
            throw error
        }
        await first.end()
        await second.end()
    }
}
