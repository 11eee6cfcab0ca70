// SPDX-License-Identifier: Apache-2.0

import KeychainSync

struct DevicePair {
    let first: Device
    let second: Device
    let server: EtcdServer

    /// Runs a test with two devices in one circle.
    static func run(
        as role: MemberRole = .member,
        options: [String] = [],
        _ body: (DevicePair) async throws -> Void
    ) async throws {
        try await run(as: role, options: options, over: { $0 }) { pair, _ in try await body(pair) }
    }

    /// Runs a test with two devices in one circle; the second one uses the transport that `change` returns.
    static func run<Transport: EtcdTransport>(
        as role: MemberRole = .member,
        options: [String] = [],
        over change: (HTTPTransport) -> Transport,
        _ body: (DevicePair, Transport) async throws -> Void
    ) async throws {
        let server = try await EtcdServer(options)
        defer { server.end() }
        let first = try Device(server)
        let transport = change(try server.transport())
        let second = try Device(server, over: transport)
        do {
            try await first.circle.create(named: "first", first.configuration)
            try await second.join(first, as: role)
            try await first.agent.synchronize()
            try await body(DevicePair(first: first, second: second, server: server), transport)
        } catch {
            await first.end()
            await second.end()
            throw error
        }
        await first.end()
        await second.end()
    }

    /// Synchronizes the devices in turn, until each has received the other's changes and the results of merging.
    func synchronize() async throws {
        for device in [second, first, second, first, second] { try await device.agent.synchronize() }
    }
}
