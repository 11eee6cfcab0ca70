// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainSync
import KeychainTestSupport
import Testing

/// Stores that two agents use, or that were restored from a backup or copied.
@Suite struct SharedStoreTests {
    private func program(_ device: Device) -> Program {
        Program(["KEYCHAIN_HOME": device.directory, "KEYCHAIN_BACKEND": "embedded"])
    }

    @Test func `one agent at a time synchronizes a store, and the next one continues`() async throws {
        try await DevicePair.run { pair in
            let agent = try program(pair.first).startAgent()
            defer { agent.end() }
            try pair.first.add("one", "1")
            try await waits(for: "1", of: "one", pair)
            let second = #expect(throws: Program.Failure.self) {
                try program(pair.first).run("keychain-sync", ["run", "--json"])
            }
            #expect(second?.lines.first?.contains("agent-is-running") == true)
            agent.end()
            let next = try program(pair.first).startAgent()
            defer { next.end() }
            try pair.first.add("two", "2")
            try await waits(for: "2", of: "two", pair)
        }
    }

    private func waits(for value: String, of account: String, _ pair: DevicePair) async throws {
        for _ in 0..<600 where try pair.second.value(account) != value {
            try await pair.second.agent.synchronize()
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(try pair.second.value(account) == value)
    }

    @Test func `an older copy of a store receives what it lacks, and sends what only it has`() async throws {
        try await DevicePair.run { pair in
            try pair.first.add("one", "old")
            try await pair.synchronize()
            let copy = pair.second.directory + ".copy"
            defer { try? FileManager.default.removeItem(atPath: copy) }
            // Nothing uses the store now, so its files can be copied.
            try FileManager.default.copyItem(atPath: pair.second.directory, toPath: copy)
            try pair.second.update("one", "new")
            try pair.second.add("two", "2")
            try await pair.synchronize()

            let keychain = try EmbeddedKeychain(at: StoreLocation(directory: copy))
            let agent = SyncAgent(keychain, over: pair.second.client)
            try await agent.synchronize()
            let status = try SyncStore(keychain).status()
            #expect(status.outbox == 0 && status.records == 2)
            #expect(status.fingerprint == (try SyncStore(pair.first.keychain).status().fingerprint))
            try await pair.first.agent.synchronize()
            #expect(try pair.first.value("one") == "new")
            #expect(try pair.first.value("two") == "2")
        }
    }

    @Test func `a keychain that was restored from its backup is synchronized again`() async throws {
        try await DevicePair.run { pair in
            try pair.first.add("one", "old")
            try pair.first.add("deleted", "value")
            try await pair.synchronize()
            let backup = pair.second.directory + ".backup"
            let restored = pair.second.directory + ".restored"
            defer { for path in [backup, restored] { try? FileManager.default.removeItem(atPath: path) } }
            let passphrase = "canary passphrase of the backup"
            try program(pair.second).run("security", ["backup", backup, "--fd", "0"], input: passphrase)
            try pair.first.update("one", "new")
            try pair.first.delete("deleted")
            try await pair.synchronize()

            let copy = Program(["KEYCHAIN_HOME": restored, "KEYCHAIN_BACKEND": "embedded"])
            try copy.run("security", ["restore", backup, "--fd", "0"], input: passphrase)
            let device = try Device(pair.server, in: restored)
            // The backup contains the items, but not the keys of the device, so the device must join again.
            #expect(throws: SyncError.notConfigured) { try SyncStore(device.keychain).status() }
            try await device.join(pair.first)
            try await device.agent.synchronize()
            try await pair.synchronize()
            #expect(try device.value("one") == "new")
            #expect(try pair.first.value("one") == "new")
            #expect(try SyncStore(device.keychain).status().outbox == 0)
            await device.end()
        }
    }
}
