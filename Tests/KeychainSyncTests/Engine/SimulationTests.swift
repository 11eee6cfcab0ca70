// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore
import KeychainSync
import KeychainTestSupport
import Synchronization
import Testing

/// Three devices in one process, whose agents run step by step, so that a seed repeats a run exactly.
@Suite struct SimulationTests {
    private static let seeds = (0..<(Sampling.isThorough ? 20 : 3)).map { Sampling.seed &+ UInt64($0) }
    private static let steps = 300
    private static let passcode = "canary-passcode"

    /// A device, and its connection to etcd, which can fail.
    private struct Member {
        let device: Device
        let transport: BreakingTransport
    }

    @Test(arguments: seeds)
    func `random changes, failures, locks and wrong clocks lose no change`(seed: UInt64) async throws {
        print("simulation: KEYCHAIN_TEST_SEED=\(seed)")
        let server = try await EtcdServer()
        defer { server.end() }
        var members: [Member] = []
        for _ in 0..<3 {
            let transport = BreakingTransport(try server.transport())
            members.append(Member(device: try Device(server, over: transport), transport: transport))
        }
        let devices = members.map(\.device)
        do {
            try await devices[0].circle.create(named: "first", server.configuration)
            for device in devices.dropFirst() { try await device.join(devices[0]) }
            for device in devices {
                try device.keychain.setPasscode(SecretBytes(Self.passcode), cost: LockedStore.cost)
            }
            try await run(members, seed: seed)
        } catch {
            for device in devices { await device.end() }
            throw error
        }
        for device in devices { await device.end() }
    }

    private func run(_ members: [Member], seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        var journal = Journal()
        for step in 0..<Self.steps {
            guard let member = members.randomElement(using: &generator) else { break }
            let account = "account \(Int.random(in: 0..<3, using: &generator))"
            switch Int.random(in: 0..<12, using: &generator) {
            case 0...4:
                member.device.clock.set(.random(in: -3_600_000...3_600_000, using: &generator))
                journal.change(member.device, account, to: "canary-value-\(step)", &generator)
            case 5: try member.device.keychain.lock()
            case 6, 7: try member.device.keychain.unlock(with: SecretBytes(Self.passcode))
            case 8:
                // The agent ends before it pushes.
                try await attempt { () async throws(SyncError) in
                    try await member.device.agent.resolveInFlight()
                    try await member.device.agent.pull()
                }
            case 9: try await receive(member.device)
            case 10:
                // The agent ends after some calls, and a new one starts.
                member.transport.breakAfter(.random(in: 0..<6, using: &generator))
                try await attempt { () async throws(SyncError) in
                    try await member.device.agent.synchronize()
                }
                member.transport.repair()
                await member.device.agent.reload()
            default:
                try await attempt { () async throws(SyncError) in
                    try await member.device.agent.synchronize()
                }
            }
        }
        let devices = members.map(\.device)
        for device in devices {
            device.clock.set(0)
            try device.keychain.unlock(with: SecretBytes(Self.passcode))
        }
        for _ in 0..<4 { for device in devices { try await device.agent.synchronize() } }
        try journal.check(devices)
        try await checkHeads(devices[0].client)
        #expect(journal.count > 50)
    }

    /// Expects that no device ever signed two different ``Head`` values with the same sequence number.
    private func checkHeads(_ client: EtcdClient) async throws {
        let newest = try await client.range(prefix: "/kc/1/").entries.map(\.revision).max() ?? 0
        let entries = Mutex<[EtcdEntry]>([])
        try await client.watch(prefix: "/kc/1/", from: 1) { message in
            entries.withLock { $0 += message.entries }
            return message.revision < newest
        }
        var contents: [Bytes16: [UInt64: [UInt8]]] = [:]
        for case let value? in entries.withLock({ $0 }).map(\.value) {
            guard let head = Head(decoding: value) else { continue }
            let known = contents[head.device]?[head.sequence]
            #expect(known == nil || known == head.encoded)
            contents[head.device, default: [:]][head.sequence] = head.encoded
        }
        #expect(contents.count == 3 && contents.values.allSatisfy { $0.count > 1 })
    }

    /// Runs a step of an agent; ignores that etcd is unreachable, or the keychain locked.
    private func attempt(_ body: () async throws(SyncError) -> Void) async throws {
        do throws(SyncError) {
            try await body()
        } catch {
            guard [.etcd(.unreachable), .locked].contains(error) else { throw error }
        }
    }

    /// Receives all changes since the last received revision, as messages of a watch.
    private func receive(_ device: Device) async throws {
        try await device.agent.resolveInFlight()
        let start = try await device.agent.revision() + 1
        let newest = try await device.client.range(prefix: "/kc/1/").entries.map(\.revision).max() ?? 0
        guard newest >= start else { return }
        try await device.client.watch(prefix: "/kc/1/", from: start) { message in
            try? await device.agent.receive(message)
            return message.revision < newest
        }
    }
}
