// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSync
import KeychainTestSupport
import Testing

/// The counts of an agent, which it prints on request.
@Suite(.timeLimit(.minutes(10))) struct MetricsTests {
    @Test func `events, records and the duration of pushes are counted`() {
        let metrics = SyncMetrics()
        metrics.record(SyncEvent(.connected))
        for (count, milliseconds) in [(3, 5), (1, 100)] as [(Int, UInt64)] {
            var event = SyncEvent(.pushed, count: count, revision: 7)
            event.milliseconds = milliseconds
            metrics.record(event)
        }
        metrics.record(SyncEvent(.received, count: 2))
        metrics.record(SyncEvent(.problem, problem: "unreachable"))
        #expect(
            metrics.counts.fields
                == "event=metrics connections=1 pushes=2 messages=1 fullResynchronizations=0 problems=1 "
                + "recordsSent=4 recordsReceived=2 pushP50=8 pushP99=128"
        )
        #expect(SyncMetrics().counts.fields.hasSuffix("pushP50=0 pushP99=0"))
    }

    @Test func `an agent prints its events, and its metrics after SIGUSR1 and at its end`() async throws {
        try await DevicePair.run { pair in
            let log = LogFile(path: pair.second.directory + ".log")
            defer { log.remove() }
            let agent = try Program([
                "KEYCHAIN_HOME": pair.second.directory, "KEYCHAIN_BACKEND": "embedded",
            ]).startAgent(logging: log)
            defer { agent.end() }
            try await log.waits(for: "event=connected")
            try pair.first.add("canary-account", "canary-value")
            try await pair.first.agent.synchronize()
            try await log.waits(for: "event=received count=1")
            try pair.second.update("canary-account", "canary-changed")
            try await log.waits(for: "event=pushed count=1")
            kill(agent.process, SIGUSR1)
            try await log.waits(for: "event=metrics connections=1")
            kill(agent.process, SIGTERM)
            #expect(try agent.wait() == .exited(0))
            let metrics = log.lines.filter { $0.contains("event=metrics") }
            #expect(metrics.count == 2)
            #expect(metrics.last?.contains("recordsSent=1 recordsReceived=1") == true)
            #expect(!log.lines.contains { $0.contains("canary") })
            // The agent has saved its counts when it ended.
            let status = try SyncStore(pair.second.keychain).status()
            #expect(status.schemaVersion == 1)
            #expect(status.metrics?.recordsSent == 1 && status.metrics?.recordsReceived == 1)
            let line = try Program(["KEYCHAIN_HOME": pair.second.directory]).run(
                "keychain-sync",
                ["status", "--json"]
            )
            #expect(try JSONDecoder().decode(SyncStatus.self, from: Data(line.utf8)) == status)
        }
    }
}
