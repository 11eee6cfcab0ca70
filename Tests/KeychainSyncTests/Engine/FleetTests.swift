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
    private static let limit = ClusterLimit(5)

    @Test(arguments: seeds)
    func `after failures of agents and servers all devices have the same items, and none is lost`(
        seed: UInt64
    ) async throws {
        let permit = await Self.limit.acquire()
        defer { permit.end() }
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
    }

    private func run(_ fleet: Fleet, _ server: EtcdServer, seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        var journal = Journal()
        var disturbances = Disturbances(fleet, server, &generator)
        let end = ContinuousClock.now + Self.duration
        var step = 0
        while ContinuousClock.now < end {
            step += 1
            let device = fleet.devices.randomElement(using: &generator) ?? fleet.devices[0]
            let account = "canary-account-\(Int.random(in: 0..<12, using: &generator))"
            device.clock.set(.random(in: -3_600_000...3_600_000, using: &generator))
            journal.change(device, account, to: "canary-value-\(step)", &generator)
            if Int.random(in: 0..<4, using: &generator) == 0 { try await disturbances.next(&generator) }
            try await Task.sleep(for: Self.pause)
        }
        try await disturbances.finish(&generator)
        try fleet.checkClocks()
        try await fleet.heal(server)
        try await fleet.waitUntilConverged(server)
        // A new device reads all records, and so also checks that none is missing.
        let last = try Device(server)
        do {
            try await last.join(fleet.devices[0], as: .readOnly)
            try await last.agent.synchronize()
            try journal.check(fleet.devices + [last])
        } catch {
            await last.end()
            throw error
        }
        await last.end()
        #expect(journal.count > 20)
        for text in ["canary-value-", "canary-account-"] {
            #expect(try !server.hasFile(containing: Array(text.utf8)))
        }
    }
}

/// The failures of a run: each kind in random order, and then random ones.
private struct Disturbances {
    private enum Kind: CaseIterable {
        case killedAgent, killedMember, killedLeader, stoppedMember, compaction, lock, unlock
    }

    private let fleet: Fleet
    private let server: EtcdServer
    /// The kinds of failure that have not occurred yet.
    private var due: [Kind]
    private var continuing: Task<Void, any Error>?

    init(_ fleet: Fleet, _ server: EtcdServer, _ generator: inout SeededGenerator) {
        self.fleet = fleet
        self.server = server
        due = Kind.allCases.shuffled(using: &generator)
    }

    mutating func next(_ generator: inout SeededGenerator) async throws {
        if let kind = due.popLast() {
            if try await !perform(kind, &generator) { due.insert(kind, at: 0) }
        } else {
            _ = try await perform(Kind.allCases.randomElement(using: &generator) ?? .lock, &generator)
        }
    }

    /// Causes each kind of failure that has not occurred yet, and waits until a stopped member of etcd continues.
    mutating func finish(_ generator: inout SeededGenerator) async throws {
        for _ in 0..<600 where !due.isEmpty {
            try await next(&generator)
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(due.isEmpty, "\(due): \(server.lastLines)")
        try await continuing?.value
    }

    /// Causes a failure; returns false if etcd could not perform it.
    private mutating func perform(_ kind: Kind, _ generator: inout SeededGenerator) async throws -> Bool {
        let member = Int.random(in: 0..<3, using: &generator)
        let number = Int.random(in: 0..<fleet.devices.count, using: &generator)
        switch kind {
        case .killedAgent: try fleet.restartAgent(number)
        case .killedMember:
            server.kill(member)
            try server.start(member)
        case .killedLeader:
            guard let leader = await server.leader() else { return false }
            server.kill(leader)
            try server.start(leader)
        case .stoppedMember:
            try await continuing?.value
            server.signal(member, SIGSTOP)
            let server = server
            // Longer than the agents' deadline for a call, which is 2 s.
            continuing = Task {
                try await Task.sleep(for: .milliseconds(2_500))
                server.signal(member, SIGCONT)
            }
        case .compaction:
            do { try await server.compact() } catch { return false }
        case .lock: try fleet.devices[number].keychain.lock()
        case .unlock: try fleet.unlock(fleet.devices[number])
        }
        return true
    }
}

/// Devices that synchronize one keychain, each with a process of `keychain-sync run`.
private final class Fleet {
    private static let passcode = "canary-passcode"
    /// By how many seconds the clocks of the agents differ from the system's.
    private static let skews = [3_600, -3_600, 1_800, -1_800, 0]

    let devices: [Device]
    private var agents: [ChildProcess] = []

    init(_ server: EtcdServer, count: Int) async throws {
        devices = try (0..<count).map { _ in try Device(server, keyDirectory: try KeyDirectory()) }
        try await devices[0].circle.create(named: "first", server.configuration)
        for device in devices.dropFirst() { try await device.join(devices[0]) }
        for device in devices {
            try device.keychain.setPasscode(SecretBytes(Self.passcode), cost: LockedStore.cost)
            agents.append(try startAgent(agents.count))
        }
    }

    private func startAgent(_ number: Int) throws -> ChildProcess {
        let clock = try SkewedClock.environment(seconds: Self.skews[number % Self.skews.count])
        let store = [
            "KEYCHAIN_HOME": devices[number].directory, "KEYCHAIN_BACKEND": "embedded",
            "XDG_RUNTIME_DIR": try #require(devices[number].keyDirectory).url.path,
        ]
        return try Program(store.merging(clock) { $1 }).startAgent(logging: log(number))
    }

    private func log(_ number: Int) -> LogFile { LogFile(path: devices[number].directory + ".log") }

    private func endAgent(_ number: Int) {
        agents[number].end()
        SkewedClock.removeMemory(of: agents[number].process)
    }

    /// Expects that at least three agents have written a ``Head``, each with the time of its own clock.
    func checkClocks() throws {
        var count = 0
        for (number, device) in devices.enumerated() {
            let last = Int64(try SyncStore(device.keychain).status().lastHead)
            guard last > 0 else { continue }
            count += 1
            let expected =
                Int64(SystemTime.milliseconds()) + Int64(Self.skews[number % Self.skews.count]) * 1_000
            // A run takes about five minutes, so each `Head` is less than 15 minutes old. The clocks of any two agents
            // differ by at least 30 minutes.
            #expect(abs(last - expected) < 900_000, "agent \(number)")
        }
        #expect(count > 2)
    }

    func restartAgent(_ number: Int) throws {
        endAgent(number)
        agents[number] = try startAgent(number)
    }

    func unlock(_ device: Device) throws { try device.keychain.unlock(with: SecretBytes(Self.passcode)) }

    /// Waits for the servers, unlocks the devices, and starts the agents again, whose clocks stay wrong.
    func heal(_ server: EtcdServer) async throws {
        try await server.waitUntilReady()
        for number in devices.indices {
            devices[number].clock.set(0)
            try unlock(devices[number])
            try restartAgent(number)
        }
    }

    /// Waits until the agents have sent all changes, and have received the newest one.
    func waitUntilConverged(_ server: EtcdServer) async throws {
        let client = try server.client()
        var states: [String] = []
        for _ in 0..<900 {
            let statuses = try devices.map { try SyncStore($0.keychain).status() }
            let newest = try? await client.revision(of: "/kc/1/\(statuses[0].circle).t")
            if let newest, statuses.allSatisfy({ Self.isConverged($0, newest) }) {
                return await client.shutdown()
            }
            states = statuses.map {
                "\($0.revision) of \(newest ?? 0), \($0.outbox), \($0.problem ?? "connected")"
            }
            try await Task.sleep(for: .milliseconds(200))
        }
        await client.shutdown()
        Issue.record("the agents do not converge: \(states)")
    }

    private static func isConverged(_ status: SyncStatus, _ newest: UInt64) -> Bool {
        status.revision >= newest && status.outbox == 0 && status.locked == 0
    }

    func end() async {
        for number in agents.indices { endAgent(number) }
        for (number, device) in devices.enumerated() {
            log(number).remove()
            await device.end()
        }
    }
}
