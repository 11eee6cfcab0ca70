// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainSync
import KeychainTestSupport
import Testing

/// Five devices whose agents are processes, and three members of etcd with TLS, under random failures.
@Suite struct FleetTests {
    /// The seeds of the runs: one seed, or ten with `Scripts/test --thorough`.
    private static let seeds = (0..<(Sampling.isThorough ? 10 : 1)).map { Sampling.seed &+ UInt64($0) }
    private static let duration = Duration.seconds(Sampling.isThorough ? 300 : 10)
    /// The pause between two changes; longer when several fleets share the processors.
    private static let pause = Duration.milliseconds(Sampling.isThorough ? 200 : 20)
    /// Lets at most five fleets run at the same time.
    private static let semaphore = Semaphore(5)

    @Test(arguments: seeds)
    func `after failures of agents and servers all devices have the same items, and none is lost`(
        seed: UInt64
    ) async throws {
        await Self.semaphore.wait()
        do {
            print("fleet: KEYCHAIN_TEST_SEED=\(seed)")
            let server = try await EtcdServer(members: 3, hasTLS: true, tokenSeconds: 5)
            defer { server.end() }
            let fleet = try await Fleet(server, count: 5)
            do {
                try await run(fleet, server, seed: seed)
            } catch {
                await fleet.end()
                throw error
            }
            await fleet.end()
        } catch {
            await Self.semaphore.signal()
            throw error
        }
        await Self.semaphore.signal()
    }

    private func run(_ fleet: Fleet, _ server: EtcdServer, seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        var journal = Journal()
        let end = ContinuousClock.now + Self.duration
        var step = 0
        while ContinuousClock.now < end {
            step += 1
            let device = fleet.devices.randomElement(using: &generator) ?? fleet.devices[0]
            let account = "canary-account-\(Int.random(in: 0..<12, using: &generator))"
            device.clock.set(.random(in: -3_600_000...3_600_000, using: &generator))
            journal.change(device, account, to: "canary-value-\(step)", &generator)
            try await disturb(fleet, server, &generator)
            try await Task.sleep(for: Self.pause)
        }
        try await fleet.heal(server)
        try await fleet.converge()
        try journal.check(fleet.devices)
        #expect(journal.count > 20)
        for text in ["canary-value-", "canary-account-"] {
            #expect(try !server.hasFile(containing: Array(text.utf8)))
        }
    }

    private func disturb(
        _ fleet: Fleet,
        _ server: EtcdServer,
        _ generator: inout SeededGenerator
    ) async throws {
        let member = Int.random(in: 0..<3, using: &generator)
        let number = Int.random(in: 0..<fleet.devices.count, using: &generator)
        switch Int.random(in: 0..<50, using: &generator) {
        case 0, 1, 2: try fleet.restartAgent(number)
        case 3:
            server.kill(member)
            try server.start(member)
        case 4:
            guard let leader = await server.leader() else { break }
            server.kill(leader)
            try server.start(leader)
        case 5:
            server.signal(member, SIGSTOP)
            try await Task.sleep(for: .milliseconds(300))
            server.signal(member, SIGCONT)
        case 6: try? await server.compact()
        case 7, 8: try fleet.devices[number].keychain.lock()
        case 9, 10, 11, 12: try fleet.unlock(fleet.devices[number])
        default: break
        }
    }
}

private actor Semaphore {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { free = count }

    func wait() async {
        guard free == 0 else {
            free -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func signal() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}

/// Devices that synchronize one keychain, each with a process of `keychain-sync run`.
private final class Fleet {
    private static let passcode = "canary-passcode"

    let devices: [Device]
    private var agents: [ChildProcess] = []

    init(_ server: EtcdServer, count: Int) async throws {
        devices = try (0..<count).map { _ in try Device(server, sharesKeys: true) }
        try await devices[0].circle.create(named: "first", server.configuration)
        for device in devices.dropFirst() { try await device.join(devices[0]) }
        for device in devices {
            try device.keychain.setPasscode(SecretBytes(Self.passcode), cost: LockedStore.cost)
            agents.append(try startAgent(device))
        }
    }

    private func startAgent(_ device: Device) throws -> ChildProcess {
        try Program([
            "KEYCHAIN_HOME": device.directory, "KEYCHAIN_BACKEND": "embedded",
            "XDG_RUNTIME_DIR": device.runtimeDirectory,
        ]).startAgent()
    }

    func restartAgent(_ number: Int) throws {
        agents[number].end()
        agents[number] = try startAgent(devices[number])
    }

    func unlock(_ device: Device) throws { try device.keychain.unlock(with: SecretBytes(Self.passcode)) }

    /// Ends the agents, waits for the servers, unlocks the devices, and corrects their clocks.
    func heal(_ server: EtcdServer) async throws {
        for agent in agents { agent.end() }
        try await server.waitUntilReady()
        for device in devices {
            device.clock.set(0)
            try unlock(device)
        }
    }

    /// Synchronizes all devices in three to 30 rounds, until none has changes to push.
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
        for _ in 0..<240 {
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
