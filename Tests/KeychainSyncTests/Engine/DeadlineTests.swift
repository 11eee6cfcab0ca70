// SPDX-License-Identifier: Apache-2.0

import KeychainSync
import Testing

/// Servers that accept a connection and do not answer, or not completely.
@Suite(.timeLimit(.minutes(2))) struct DeadlineTests {
    private static let deadlines: EtcdDeadlines = {
        var deadlines = EtcdDeadlines()
        deadlines.call = 200
        deadlines.page = 200
        return deadlines
    }()

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"])
    func `a call ends if the answer does not begin or does not end`(start: String) async throws {
        let server = try StallingServer(sending: start)
        defer { server.end() }
        let transport = try HTTPTransport(server.configuration)
        let client = EtcdClient(server.configuration, over: transport, deadlines: Self.deadlines)
        await #expect(throws: EtcdError.unreachable) { try await client.range(prefix: "/kc/1/") }
        await #expect(throws: EtcdError.unreachable) { try await client.commit(EtcdTransaction()) }
        await client.shutdown()
    }

    @Test func `a watch ends if its answer does not begin`() async throws {
        let server = try StallingServer(sending: "")
        defer { server.end() }
        let transport = try HTTPTransport(server.configuration)
        let client = EtcdClient(server.configuration, over: transport, deadlines: Self.deadlines)
        await #expect(throws: EtcdError.unreachable) {
            try await client.watch(prefix: "/kc/1/", from: 1) { _ in true }
        }
        await client.shutdown()
    }
}
