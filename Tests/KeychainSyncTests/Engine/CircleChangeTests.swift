// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore
import KeychainSync
import KeychainTestSupport
import Synchronization
import Testing

/// Leaving a circle of devices and joining another, locked stores, and watch messages with several revisions.
@Suite struct CircleChangeTests {
    @Test func `an agent that has not noticed the departure does not change the next circle`() async throws {
        try await DevicePair.run { pair in
            try pair.first.add("account", "value")
            try await pair.first.agent.synchronize()
            try await pair.synchronize()
            try SyncStore(pair.second.keychain).uninstall()
            try pair.second.update("account", "changed")
            await #expect(throws: SyncError.notConfigured) { try await pair.second.agent.synchronize() }

            let other = try Device(pair.server)
            try await other.circle.create(named: "other", other.configuration)
            try other.add("of other", "value")
            try await other.agent.synchronize()
            try await pair.second.join(other)
            await pair.second.agent.reload()
            try await pair.second.agent.synchronize()
            try await other.agent.synchronize()
            #expect(try pair.second.value("account") == "changed")
            #expect(try pair.second.value("of other") == "value")
            #expect(try other.value("account") == "changed")
            #expect(try pair.first.value("account") == "value")
            #expect(try pair.first.value("of other") == nil)
            await other.end()
        }
    }

    @Test func `a locked device keeps what it receives sealed, and applies it after unlocking`() async throws
    {
        try await DevicePair.run { pair in
            let keychain = pair.second.keychain
            try pair.first.add("account", "one", protection: .whenUnlocked)
            try await pair.first.agent.synchronize()
            try await pair.second.agent.synchronize()
            try keychain.setPasscode(SecretBytes("123456"), cost: LockedStore.cost)
            try keychain.lock()
            try pair.first.update("account", "two")
            try pair.first.add("other", "three", protection: .whenUnlocked)
            try await pair.first.agent.synchronize()
            try await pair.second.agent.synchronize()
            #expect(try SyncStore(keychain).status().locked == 2)

            // A locked device must not write: the agent would take its own writes for local changes, and wake up again.
            let files = try pair.second.files
            for _ in 0..<3 { try await pair.second.agent.synchronize() }
            #expect(try pair.second.files == files)

            try keychain.unlock(with: SecretBytes("123456"))
            try await pair.second.agent.synchronize()
            #expect(try pair.second.value("account") == "two")
            #expect(try pair.second.value("other") == "three")
            #expect(try SyncStore(keychain).status().locked == 0)
        }
    }

    @Test func `a deletion on a locked device is sent, and one that it receives is applied`() async throws {
        try await DevicePair.run { pair in
            let keychain = pair.second.keychain
            for account in ["one", "two"] { try pair.first.add(account, "value", protection: .whenUnlocked) }
            try await pair.first.agent.synchronize()
            try await pair.second.agent.synchronize()
            try keychain.setPasscode(SecretBytes("123456"), cost: LockedStore.cost)
            try keychain.lock()
            try pair.first.delete("one")
            try pair.second.delete("two")
            try await pair.first.agent.synchronize()
            try await pair.second.agent.synchronize()
            try await pair.first.agent.synchronize()
            #expect(try pair.first.value("two") == nil)
            try keychain.unlock(with: SecretBytes("123456"))
            #expect(try pair.second.value("one") == nil)
            #expect(try pair.second.value("two") == nil)
        }
    }

    @Test func `a message with several revisions is applied without reading everything`() async throws {
        try await DevicePair.run { pair in
            let (first, second) = (pair.first, pair.second)
            let events = Mutex<[SyncEvent]>([])
            let agent = SyncAgent(
                second.keychain,
                over: second.client,
                log: { event in events.withLock { $0.append(event) } }
            )
            try await agent.synchronize()
            let start = try await agent.revision() + 1
            for value in ["one", "two", "three"] {
                if try first.value("account") == nil {
                    try first.add("account", value)
                } else {
                    try first.update("account", value)
                }
                try await first.agent.synchronize()
            }
            let newest = try await second.client.range(prefix: "/kc/1/").revision
            try await second.client.watch(prefix: "/kc/1/", from: start) { message in
                try? await agent.receive(message)
                return message.revision < newest
            }
            #expect(try second.value("account") == "three")
            #expect(events.withLock { $0.filter { $0.kind == .fullResynchronization }.isEmpty })
        }
    }
}
