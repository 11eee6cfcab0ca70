// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainSync
import KeychainTestSupport
import Testing

/// Five devices whose agents are processes, and three members of etcd with TLS, under random failures.
@Suite struct FleetTests {
    /// The seeds of the runs: one, and two under `Scripts/test --thorough`.
    private static let seeds = (0..<(Sampling.isThorough ? 2 : 1)).map { Sampling.seed &+ UInt64($0) }
    /// How many steps a run has; a step takes about 50 ms.
    private static let steps = Sampling.isThorough ? 400 : 160

    /// A change that a device has acknowledged.
    private struct Entry {
        let device: Int
        let account: String
        /// The value; `nil` for a deletion.
        let value: String?
    }

    @Test(arguments: seeds)
    func `after failures of agents and servers all devices have the same items, and none is lost`(
        seed: UInt64
    ) async throws {
        print("fleet: KEYCHAIN_TEST_SEED=\(seed)")
        let server = try await EtcdServer(members: 3, hasTLS: true)
        defer { server.end() }
        let fleet = try await Fleet(server, count: 5)
        do {
            try await run(fleet, server, seed: seed)
        } catch {
            await fleet.end()
            throw error
        }
        await fleet.end()
    }

    private func run(_ fleet: Fleet, _ server: EtcdServer, seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        var journal: [Entry] = []
        for step in 0..<Self.steps {
            let number = Int.random(in: 0..<fleet.devices.count, using: &generator)
            let account = "canary-account-\(Int.random(in: 0..<12, using: &generator))"
            let device = fleet.devices[number]
            device.clock.set(.random(in: -3_600_000...3_600_000, using: &generator))
            if let entry = change(device, number, account, "canary-value-\(step)", &generator) {
                journal.append(entry)
            }
            try await disturb(fleet, server, &generator)
            try await Task.sleep(for: .milliseconds(20))
        }
        try await fleet.heal(server)
        try await fleet.converge()
        try check(journal, fleet)
        for text in ["canary-value-", "canary-account-"] {
            #expect(try !server.hasFile(containing: Array(text.utf8)))
        }
    }

    /// Changes an item and returns the change; `nil` if the device did not acknowledge it.
    private func change(
        _ device: Device,
        _ number: Int,
        _ account: String,
        _ value: String,
        _ generator: inout SeededGenerator
    ) -> Entry? {
        do {
            if try device.value(account) == nil {
                try device.add(account, value)
            } else if Int.random(in: 0..<5, using: &generator) == 0 {
                try device.delete(account)
                return Entry(device: number, account: account, value: nil)
            } else {
                try device.update(account, value)
            }
            return Entry(device: number, account: account, value: value)
        } catch {
            // The agent added or deleted the item after this function looked for it.
            return nil
        }
    }

    private func disturb(
        _ fleet: Fleet,
        _ server: EtcdServer,
        _ generator: inout SeededGenerator
    ) async throws {
        let member = Int.random(in: 0..<3, using: &generator)
        switch Int.random(in: 0..<40, using: &generator) {
        case 0, 1, 2: try fleet.restartAgent(.random(in: 0..<fleet.devices.count, using: &generator))
        case 3:
            server.kill(member)
            try server.start(member)
        case 4:
            server.signal(member, SIGSTOP)
            try await Task.sleep(for: .milliseconds(300))
            server.signal(member, SIGCONT)
        case 5: try? await server.compact()
        default: break
        }
    }

    /// Expects that the last change of each device is present, is kept as a conflict, or was followed by
    /// another device's change.
    private func check(_ journal: [Entry], _ fleet: Fleet) throws {
        var present: [String: String?] = [:]
        for account in Set(journal.map(\.account)) {
            let values = try fleet.devices.map { try $0.value(account) }
            #expect(Set(values).count == 1, "\(account): \(values)")
            present[account] = values[0]
        }
        let conflicts = Set(try fleet.devices.flatMap { try $0.conflicts })
        for account in present.keys {
            guard let last = journal.last(where: { $0.account == account }), let value = last.value else {
                continue
            }
            #expect(present[account] == value || conflicts.contains(value), "\(account): \(value) is lost")
        }
        for device in fleet.devices {
            let status = try SyncStore(device.keychain).status()
            #expect(status.outbox == 0)
            #expect(status.locked == 0)
        }
    }
}

/// Devices that synchronize one keychain, each with a process of `keychain-sync run`.
private final class Fleet {
    let devices: [Device]
    private var agents: [ChildProcess] = []
    private let tool = TestTool.executable.replacingOccurrences(of: "KeychainTestTool", with: "keychain-sync")

    init(_ server: EtcdServer, count: Int) async throws {
        devices = try (0..<count).map { _ in try Device(server) }
        try await devices[0].circle.create(named: "first", server.configuration)
        for device in devices.dropFirst() { try await device.join(devices[0]) }
        for device in devices { agents.append(try startAgent(device)) }
    }

    private func startAgent(_ device: Device) throws -> ChildProcess {
        try ChildProcess(
            "/bin/sh",
            ["-c", "exec '\(tool)' run 2>>'\(device.directory)/agent.log'"],
            environment: [
                "KEYCHAIN_HOME": device.directory, "KEYCHAIN_BACKEND": "embedded", "PATH": "/usr/bin:/bin",
            ]
        )
    }

    /// Kills an agent with SIGKILL, and starts it again.
    func restartAgent(_ number: Int) throws {
        agents[number].end()
        agents[number] = try startAgent(devices[number])
    }

    /// Ends the agents, waits for the servers, and corrects the clocks of the devices.
    func heal(_ server: EtcdServer) async throws {
        for agent in agents { agent.end() }
        try await server.waitUntilReady()
        for device in devices { device.clock.set(0) }
    }

    /// Synchronizes all devices until every outbox is empty, in at most 30 rounds.
    func converge() async throws {
        for round in 0..<30 {
            for device in devices {
                await device.agent.reload()
                try await synchronize(device)
            }
            let outboxes = try devices.map { try SyncStore($0.keychain).status().outbox }
            if round > 1, outboxes.allSatisfy({ $0 == 0 }) { break }
        }
    }

    /// Synchronizes a device, with retries while the cluster elects a leader.
    private func synchronize(_ device: Device) async throws {
        for _ in 0..<120 {
            do throws(SyncError) {
                return try await device.agent.synchronize()
            } catch {
                guard case .etcd = error else { throw error }
                try await Task.sleep(for: .milliseconds(500))
            }
        }
        try await device.agent.synchronize()
    }

    func end() async {
        for agent in agents { agent.end() }
        for device in devices { await device.end() }
    }
}
