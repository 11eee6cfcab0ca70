// SPDX-License-Identifier: Apache-2.0

import KeychainSync
import Testing

/// A cluster of etcd that requires passwords.
@Suite struct TokenTests {
    private func client(
        _ server: EtcdServer,
        over transport: any EtcdTransport,
        _ change: (inout EtcdConfiguration) -> Void = { _ in }
    ) -> EtcdClient {
        var configuration = server.configuration
        change(&configuration)
        return EtcdClient(configuration, over: transport, deadlines: EtcdServer.deadlines)
    }

    @Test func `an expired token leads to another authentication, also several times in succession`()
        async throws
    {
        let server = try await EtcdServer(tokenSeconds: 300)
        defer { server.end() }
        let transport = RefusingTransport(try server.transport())
        let client = client(server, over: transport)
        for count in 0...2 {
            transport.refuse(.expired(count))
            #expect(try await client.range(prefix: "/kc/1/").entries.isEmpty)
        }
        transport.refuse(.expired(1_000))
        let error = await #expect(throws: EtcdError.self) { try await client.range(prefix: "/kc/1/") }
        // Not `credentialsRefused`, after which the agent would wait for minutes.
        #expect(error == .tokenExpired)
        transport.refuse(nil)
        #expect(try await client.range(prefix: "/kc/1/").entries.isEmpty)
        await client.shutdown()
    }

    @Test func `a member that does not know the user yet is skipped`() async throws {
        let server = try await EtcdServer(tokenSeconds: 300)
        defer { server.end() }
        let transport = RefusingTransport(try server.transport())
        let lagging = server.configuration.endpoints[0].replacing("127.0.0.1", with: "localhost")
        transport.refuse(.member(lagging))
        let client = client(server, over: transport) { $0.endpoints.insert(lagging, at: 0) }
        #expect(try await client.range(prefix: "/kc/1/").entries.isEmpty)
        await client.shutdown()
    }

    @Test(arguments: ["wrong password", "unknown user", "no user", "key outside of the user's range"])
    func `refused credentials are reported as such`(mistake: String) async throws {
        let server = try await EtcdServer(tokenSeconds: 300)
        defer { server.end() }
        let client = client(server, over: try server.transport()) { configuration in
            switch mistake {
            case "wrong password": configuration.password = "wrong"
            case "unknown user": configuration.user = "unknown"
            case "no user": configuration.user = nil
            default: break
            }
        }
        let prefix = mistake.hasPrefix("key") ? "/other/" : "/kc/1/"
        let error = await #expect(throws: EtcdError.self) { try await client.range(prefix: prefix) }
        #expect(error == .credentialsRefused)
        #expect(error.map { SyncError.etcd($0).code } == "credentials")
        await client.shutdown()
    }
}
