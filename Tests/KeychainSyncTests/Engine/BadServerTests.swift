// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore
import KeychainSync
import KeychainTestSupport
import Testing

/// Servers that are absent, do not match the device's configuration, or contain data of a newer version.
@Suite struct BadServerTests {
    enum Mistake: CaseIterable, Sendable {
        case nothingListens, plainText, noClientCertificate, missingFile, unknownUser, untrustedServer

        var codes: Set<String> {
            switch self {
            case .nothingListens: ["unreachable"]
            // Depending on timing, the server may close the connection before its answer is read.
            case .plainText: ["unreachable", "refused", "not-etcd"]
            case .noClientCertificate, .untrustedServer: ["certificate-refused"]
            case .missingFile: ["certificate-file"]
            case .unknownUser: ["credentials"]
            }
        }

        func apply(_ configuration: inout EtcdConfiguration) throws {
            switch self {
            case .nothingListens:
                configuration.endpoints = ["https://127.0.0.1:\(try EtcdServer.freePort())"]
            case .plainText:
                configuration.endpoints = configuration.endpoints.map {
                    $0.replacing("https:", with: "http:")
                }
            case .noClientCertificate:
                configuration.certificate = nil
                configuration.key = nil
            // Trust a device's certificate instead of the authority's, which has signed the server's certificate.
            case .untrustedServer: configuration.certificateAuthority = configuration.certificate
            case .missingFile: configuration.certificateAuthority = "/nonexistent/ca.pem"
            case .unknownUser:
                configuration.user = "unknown-user"
                configuration.password = "wrong"
            }
        }
    }

    /// The maximum number of calls: if the server resets the connection, the reason that it has sent may be lost.
    private static let attempts = 5

    @Test(arguments: Mistake.allCases)
    func `a wrong configuration is reported, and loses no item`(mistake: Mistake) async throws {
        let server = try await EtcdServer(hasTLS: true)
        defer { server.end() }
        let device = try Device(server)
        try await device.circle.create(named: "first", device.configuration)
        try device.add("account", "value")
        var configuration = server.configuration
        try mistake.apply(&configuration)
        var code: String?
        do throws(EtcdError) {
            let transport = try HTTPTransport(configuration, deadlines: EtcdServer.deadlines)
            let client = EtcdClient(configuration, over: transport, deadlines: EtcdServer.deadlines)
            let agent = SyncAgent(device.keychain, over: client)
            for _ in 0..<Self.attempts where code == nil || code == "unreachable" {
                do throws(SyncError) { try await agent.synchronize() } catch { code = error.code }
            }
            await client.shutdown()
        } catch {
            code = SyncError.etcd(error).code
        }
        #expect(code.map { mistake.codes.contains($0) } == true, "\(code ?? "no error")")
        await device.agent.reload()
        try await device.agent.synchronize()
        #expect(try device.value("account") == "value")
        #expect(try SyncStore(device.keychain).status().outbox == 0)
        await device.end()
    }

    @Test func `a server whose certificate is that of another host is refused`() async throws {
        let server = try await EtcdServer(hasTLS: true)
        defer { server.end() }
        let (other, endpoint) = try server.startOtherHost()
        defer { other.end() }
        var configuration = server.configuration
        configuration.endpoints = [endpoint]
        let transport = try HTTPTransport(configuration, deadlines: EtcdServer.deadlines)
        let client = EtcdClient(configuration, over: transport, deadlines: EtcdServer.deadlines)
        var failure: EtcdError?
        // The server of the other host needs some time until it listens.
        let isReached = try await Device.waits {
            do throws(EtcdError) { _ = try await client.range(prefix: "/kc/1/") } catch { failure = error }
            return failure != .unreachable
        }
        #expect(isReached && failure == .certificateRefused)
        await client.shutdown()
    }

    @Test(arguments: ["/r/", "/h/", "/m/"])
    func `data of a newer version stops the device, which overwrites nothing`(kind: String) async throws {
        try await DevicePair.run { pair in
            try pair.first.add("account", "value")
            try await pair.first.agent.synchronize()
            try await pair.second.agent.synchronize()
            let entries = try await pair.first.client.range(prefix: "/kc/1/").entries
            let entry = try #require(entries.last { $0.key.contains(kind) })
            var newer = try #require(entry.value)
            newer[3] = UInt8(ascii: "2")
            var transaction = EtcdTransaction()
            transaction.changes = [(entry.key, newer)]
            _ = try await pair.first.client.commit(transaction)
            try pair.second.update("account", "changed")
            await #expect(throws: SyncError.updateNeeded) { try await pair.second.agent.synchronize() }
            #expect(try pair.second.value("account") == "changed")
            #expect(try await pair.first.client.entry(entry.key).entries.first?.value == newer)
        }
    }

    @Test func `a newer list of devices is reported as such by changes of the circle`() async throws {
        try await DevicePair.run { pair in
            try await pair.first.agent.synchronize()
            let entries = try await pair.first.client.range(prefix: "/kc/1/").entries
            let entry = try #require(entries.last { $0.key.contains("/m/") })
            var newer = try #require(entry.value)
            newer[3] = UInt8(ascii: "2")
            // Stores the changed manifest under a later key than the newest manifest, as a newer list of devices.
            let key = String(entry.key.dropLast(1)) + "9"
            var transaction = EtcdTransaction()
            transaction.changes = [(key, newer)]
            _ = try await pair.first.client.commit(transaction)
            await #expect(throws: SyncError.updateNeeded) {
                _ = try await pair.first.circle.invite(as: .member)
            }
        }
    }

    @Test func `status warns if another device's clock is more than 24 hours ahead`() async throws {
        try await DevicePair.run { pair in
            try pair.first.add("account", "value")
            try await pair.synchronize()
            for (hours, isBehind) in [(23, false), (25, true), (495_000, true)] as [(UInt64, Bool)] {
                let store = SyncStore(
                    pair.second.keychain,
                    clock: { SystemTime.milliseconds() - hours * 3_600_000 }
                )
                #expect(try store.status().isClockBehind == isBehind)
            }
        }
    }

    @Test func `status warns when the server has acknowledged nothing for 48 hours`() async throws {
        try await DevicePair.run { pair in
            try pair.first.add("account", "value")
            try await pair.first.agent.synchronize()
            for (hours, isOutOfContact) in [(47, false), (49, true)] as [(UInt64, Bool)] {
                let store = SyncStore(
                    pair.first.keychain,
                    clock: { SystemTime.milliseconds() + hours * 3_600_000 }
                )
                #expect(try store.status().isOutOfContact == isOutOfContact)
            }
        }
    }
}
