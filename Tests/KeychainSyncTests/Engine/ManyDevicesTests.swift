// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainSync
import KeychainTestSupport
import Testing

/// Many devices in one circle, each with a watch of its own.
@Suite(.timeLimit(.minutes(10))) struct ManyDevicesTests {
    /// The number of devices; 200 with `Scripts/test --thorough`.
    private static let count = Sampling.isThorough ? 200 : 8
    private static let changes = Sampling.isThorough ? 20 : 4
    /// The number of devices that an admin adds with one new version of the device list.
    private static let batch = 25

    private struct Member {
        let device: Device
        let transport: HoldingTransport

        init(_ server: EtcdServer) throws {
            transport = HoldingTransport(try server.transport())
            device = try Device(server, over: transport)
        }
    }

    private static func seconds(_ body: () async throws -> Void) async rethrows -> Double {
        try await ContinuousClock().measure(body) / .seconds(1)
    }

    @Test func `all devices converge, and a change costs each of them one message of its watch`() async throws
    {
        let server = try await EtcdServer()
        defer { server.end() }
        let members = try (0..<Self.count).map { _ in try Member(server) }
        do {
            try await run(members, server)
        } catch {
            for member in members { await member.device.end() }
            throw error
        }
        for member in members { await member.device.end() }
    }

    private func run(_ members: [Member], _ server: EtcdServer) async throws {
        let devices = members.map(\.device)
        try await devices[0].circle.create(named: "first", server.configuration)
        let joining = try await Self.seconds { try await join(Array(devices.dropFirst()), devices[0]) }
        // At first, each device writes its `Head`, the signed summary of its records.
        for _ in 0..<2 { for device in devices { try await device.agent.synchronize() } }
        let watches = try await startWatches(devices)
        defer { for watch in watches { watch.cancel() } }
        let calls = members.map(\.transport.rangeCount)
        var times: [Double] = []
        for number in 0..<Self.changes {
            let (writer, account) = (devices[number % devices.count], "account \(number)")
            let time = try await Self.seconds {
                try writer.add(account, "value")
                try await writer.agent.takeLocalChanges()
                for device in devices {
                    let isVisible = try await Device.waits { try device.value(account) == "value" }
                    #expect(isVisible)
                }
            }
            times.append(time)
        }
        for (member, calls) in zip(members, calls) {
            #expect(member.transport.messageCount == Self.changes)
            // The message of the watch contained all that a device needs, so no device has read a range.
            #expect(member.transport.rangeCount == calls)
        }
        let states = try devices.map { try SyncStore($0.keychain).status() }
        #expect(Set(states.map(\.fingerprint)).count == 1)
        #expect(states.allSatisfy { $0.records == Self.changes && $0.devices == Self.count })
        times.sort()
        print(
            "\(Self.count) devices: joined in \(joining) s; a change is visible on all after",
            "\(times[times.count / 2]) s (median), \(times[times.count - 1]) s (longest)"
        )
    }

    private func join(_ devices: [Device], _ admin: Device) async throws {
        for start in stride(from: 0, to: devices.count, by: Self.batch) {
            let joining = devices[start..<min(start + Self.batch, devices.count)]
            var requests: [(request: JoinRequest, invitation: OpenInvitation)] = []
            try await withThrowingTaskGroup(of: Void.self) { group in
                for device in joining {
                    let invitation = try await admin.circle.invite(as: .member)
                    group.addTask {
                        try await device.circle.join(
                            invitation.code,
                            named: "device",
                            device.configuration
                        ) {
                            try? await Task.sleep(for: .milliseconds(100))
                            return true
                        }
                    }
                    var request: JoinRequest?
                    let isThere = try await Device.waits {
                        request = try await admin.circle.request(for: invitation)
                        return request != nil
                    }
                    #expect(isThere)
                    if let request { requests.append((request, invitation)) }
                }
                try await admin.circle.accept(requests)
                try await group.waitForAll()
            }
            try await admin.agent.synchronize()
        }
    }

    /// Lets each device receive messages, as its agent does.
    private func startWatches(_ devices: [Device]) async throws -> [Task<Void, Never>] {
        var watches: [Task<Void, Never>] = []
        for device in devices {
            let start = try await device.agent.revision() + 1
            watches.append(
                Task {
                    try? await device.client.watch(prefix: "/kc/1/", from: start) { events in
                        try? await device.agent.receive(events)
                        return !Task.isCancelled
                    }
                }
            )
        }
        return watches
    }
}
