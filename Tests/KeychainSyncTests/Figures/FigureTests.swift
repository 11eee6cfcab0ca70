// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainSync
import KeychainTestSupport
import Testing

/// Measures synchronization over loopback and prints the figures; `Scripts/measure-sync` runs it.
@Suite(
    .enabled(
        if: ProcessInfo.processInfo.environment["KEYCHAIN_MEASURE"] == "1",
        "prints figures instead of checking behaviour"
    ),
    .serialized
)
struct FigureTests {
    private static func agent(_ device: Device) throws -> ChildProcess { try program(device).startAgent() }

    private static func program(_ device: Device) -> Program {
        Program(["KEYCHAIN_HOME": device.directory, "KEYCHAIN_BACKEND": "embedded"])
    }

    private static func milliseconds(_ body: () async throws -> Void) async rethrows -> Double {
        let start = ContinuousClock.now
        try await body()
        return (ContinuousClock.now - start) / .milliseconds(1)
    }

    private static func waits(for value: String, of account: String, on device: Device) async throws {
        while try device.value(account) != value { try await Task.sleep(for: .microseconds(500)) }
    }

    @Test func `time until a change is visible on another device`() async throws {
        try await DevicePair.run { pair in
            try pair.first.add("account", "value")
            let agents = [try Self.agent(pair.first), try Self.agent(pair.second)]
            defer { for agent in agents { agent.end() } }
            try await Self.waits(for: "value", of: "account", on: pair.second)
            var times: [Double] = []
            for number in 0..<500 {
                let (writer, reader) = number % 2 == 0 ? (pair.first, pair.second) : (pair.second, pair.first)
                let time = try await Self.milliseconds {
                    try writer.update("account", "value \(number)")
                    try await Self.waits(for: "value \(number)", of: "account", on: reader)
                }
                times.append(time)
                try await Task.sleep(for: .milliseconds(.random(in: 5...40)))
            }
            times.sort()
            print("visible after: p50 \(times[250]) ms, p99 \(times[495]) ms, longest \(times[499]) ms")
        }
    }

    @Test func `first synchronization of 10,000 items`() async throws {
        try await DevicePair.run { pair in
            try pair.first.keychain.synchronize { session throws(StatusError) in
                for number in 0..<10_000 {
                    guard
                        let item = CircleFixture.item(
                            "account \(number)",
                            String(repeating: "x", count: 100)
                        )
                    else { continue }
                    _ = try session.put(item)
                }
            }
            let push = try await Self.milliseconds {
                try Self.program(pair.first).run("keychain-sync", ["run", "--once"])
            }
            let pull = try await Self.milliseconds {
                try Self.program(pair.second).run("keychain-sync", ["run", "--once"])
            }
            #expect(try SyncStore(pair.second.keychain).status().records == 10_000)
            print("10,000 items: sent in \(push) ms, received in \(pull) ms")
        }
    }

    @Test func `wake-ups of an idle agent`() async throws {
        try await DevicePair.run { pair in
            try pair.first.add("account", "value")
            let agent = try Self.agent(pair.first)
            defer { agent.end() }
            try await Self.waitsForPush(pair.first)
            // Start to count after the agent's first periodic work, which comes at most 75 s after its start: this work
            // also saves the agent's metrics in the store and opens a connection to etcd, two additional wake-ups.
            try await Task.sleep(for: .seconds(90))
            var (last, wakeUps) = (Self.switches(agent.process), 0)
            for _ in 0..<300 {
                try await Task.sleep(for: .seconds(1))
                let now = Self.switches(agent.process)
                if now != last { wakeUps += 1 }
                last = now
            }
            print("idle agent: active in \(wakeUps) of 300 s")
        }
    }

    private static func waitsForPush(_ device: Device) async throws {
        while try SyncStore(device.keychain).status().outbox > 0 {
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// How many times the threads of a process have waited, in total.
    private static func switches(_ process: pid_t) -> Int {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        return threads.reduce(0) { sum, thread in
            let status = try? KernelFile.text("/proc/\(process)/task/\(thread)/status")
            let line = status?.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
            return sum + (line?.split(separator: "\t").last.flatMap { Int($0) } ?? 0)
        }
    }
}
