// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore
import KeychainSync
import Testing

/// A server that refuses a change does not stop the device.
@Suite struct RefusalTests {
    private func withRefusingServer(
        _ body: (DevicePair, RefusingTransport) async throws -> Void
    ) async throws {
        try await DevicePair.run(over: { RefusingTransport($0) }, body)
    }

    @Test func `changes that are too large for one transaction are sent in smaller ones`() async throws {
        try await withRefusingServer { pair, server in
            for number in 0..<20 { try pair.second.add("account \(number)", "value") }
            server.refuse(.changes(5))
            try await pair.second.agent.synchronize()
            try await pair.first.agent.synchronize()
            for number in 0..<20 { #expect(try pair.first.value("account \(number)") == "value") }
            #expect(try SyncStore(pair.second.keychain).status().outbox == 0)
        }
    }

    @Test func `a change that the server always refuses stays local, and others are exchanged`() async throws
    {
        try await withRefusingServer { pair, server in
            server.refuse(.bytes(16_384))
            try pair.second.add("large", String(repeating: "x", count: 20_000))
            for number in 0..<3 { try pair.second.add("account \(number)", "value") }
            try pair.first.add("from first", "value")
            try await pair.first.agent.synchronize()
            try await pair.synchronize()
            for number in 0..<3 { #expect(try pair.first.value("account \(number)") == "value") }
            #expect(try pair.first.value("large") == nil)
            #expect(try pair.second.value("from first") == "value")
            // A new object reads the status from the store, as a process without the agent does.
            var status = try SyncStore(pair.second.keychain).status()
            #expect(status.outbox == 0 && status.localOnly == 1)

            server.refuse(nil)
            await pair.second.agent.reload()
            try pair.second.update("large", String(repeating: "y", count: 20_000))
            try await pair.synchronize()
            #expect(try pair.first.value("large")?.count == 20_000)
            status = try SyncStore(pair.second.keychain).status()
            #expect(status.outbox == 0 && status.localOnly == 0)
        }
    }

    @Test func `a circle change that etcd refuses as invalid is reported with its message`() async throws {
        try await DevicePair.run(as: .admin, over: { RefusingTransport($0) }) { pair, server in
            let first = try #require(pair.second.circle.devices().first).identifier
            server.refuse(.invalid)
            let refusal = EtcdError.refused(400, RefusingTransport.invalidMessage)
            await #expect(throws: SyncError.etcd(refusal)) { try await pair.second.circle.remove(first) }
            server.refuse(nil)
            try await pair.second.circle.remove(first)
        }
    }

    @Test func `a change whose token is refused stays in the outbox`() async throws {
        try await withRefusingServer { pair, server in
            server.refuse(.token)
            try pair.second.add("account", "value")
            await #expect(throws: SyncError.etcd(.credentialsRefused)) {
                try await pair.second.agent.synchronize()
            }
            let status = try SyncStore(pair.second.keychain).status()
            #expect(status.outbox == 1 && status.localOnly == 0)

            server.refuse(nil)
            try await pair.synchronize()
            #expect(try pair.first.value("account") == "value")
        }
    }

    @Test func `a device receives changes while the server's quota is exhausted, and then sends its own`()
        async throws
    {
        try await withRefusingServer { pair, server in
            try pair.first.add("from first", "value")
            try await pair.first.agent.synchronize()
            try pair.second.add("from second", "value")
            server.refuse(.quota)
            for _ in 0..<2 {
                await #expect(throws: SyncError.etcd(.outOfSpace)) {
                    try await pair.second.agent.synchronize()
                }
            }
            #expect(try pair.second.value("from first") == "value")
            #expect(try SyncStore(pair.second.keychain).status().outbox == 1)
            server.refuse(nil)
            try await pair.synchronize()
            #expect(try pair.first.value("from second") == "value")
        }
    }

    @Test func `when etcd's space is exhausted, no change is lost, and all are sent once there is space`()
        async throws
    {
        try await DevicePair.run(options: ["--quota-backend-bytes", "\(4 << 20)"]) { pair in
            let large = String(repeating: "x", count: 200_000)
            try pair.first.add("account", "value")
            try pair.second.add("large", large)
            try await pair.synchronize()
            var error: SyncError?
            for number in 0..<100 where error == nil {
                try pair.second.update("large", "\(number)" + large)
                do throws(SyncError) {
                    try await pair.second.agent.synchronize()
                } catch let failure {
                    error = failure
                }
            }
            #expect(error == .etcd(.outOfSpace))
            #expect(error?.code == "server-full")
            try pair.second.update("large", "newest")
            await #expect(throws: SyncError.etcd(.outOfSpace)) {
                try await pair.second.agent.synchronize()
            }
            let status = try SyncStore(pair.second.keychain).status()
            #expect(status.outbox == 1 && status.localOnly == 0)
            #expect(try pair.second.value("account") == "value")

            try await pair.server.freeSpace()
            try await pair.synchronize()
            #expect(try pair.first.value("large") == "newest")
            #expect(try SyncStore(pair.second.keychain).status().outbox == 0)
        }
    }

    @Test func `a device without rights on the server keeps its changes until it has them`() async throws {
        try await withRefusingServer { pair, server in
            try pair.second.add("account", "value")
            server.refuse(.rights)
            await #expect(throws: SyncError.etcd(.credentialsRefused)) {
                try await pair.second.agent.synchronize()
            }
            #expect(try SyncStore(pair.second.keychain).status().outbox == 1)
            server.refuse(nil)
            try await pair.synchronize()
            #expect(try pair.first.value("account") == "value")
        }
    }

    @Test func `items whose page is too large for one answer are read in smaller pages`() async throws {
        try await withRefusingServer { pair, server in
            for number in 0..<40 { try pair.first.add("account \(number)", "value") }
            try await pair.first.agent.synchronize()
            server.refuse(.keys(7))
            try await pair.second.agent.synchronize()
            for number in 0..<40 { #expect(try pair.second.value("account \(number)") == "value") }
        }
    }

    @Test func `an item of more than 1 MiB stays local and is reported, and a smaller one is exchanged`()
        async throws
    {
        try await DevicePair.run { pair in
            try pair.second.add("too large", String(repeating: "x", count: 2 << 20))
            try pair.second.add("large", String(repeating: "x", count: 1_000_000))
            try pair.second.add("small", "value")
            try await pair.synchronize()
            #expect(try pair.first.value("too large") == nil)
            #expect(try pair.first.value("large")?.count == 1_000_000)
            #expect(try pair.first.value("small") == "value")
            let status = try SyncStore(pair.second.keychain).status()
            #expect(status.outbox == 0)
            #expect(status.localOnly == 1)
        }
    }
}
