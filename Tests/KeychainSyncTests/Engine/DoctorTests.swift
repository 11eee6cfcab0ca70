// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSync
import KeychainTestSupport
import Testing

@Suite struct DoctorTests {
    private func json(_ arguments: [String], on device: Device) throws -> [String: Any] {
        let process = try ChildProcess(
            TestTool.executable.replacingOccurrences(of: "KeychainTestTool", with: "security"),
            arguments + ["--json"],
            environment: [
                "KEYCHAIN_HOME": device.directory, "KEYCHAIN_BACKEND": "embedded", "PATH": "/usr/bin:/bin",
            ]
        )
        let text = try process.readLines().joined(separator: "\n")
        _ = try process.wait()
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    private static let notRunning = "the synchronization agent is not running"

    private func finding(_ device: Device) throws -> (level: String, text: String) {
        let findings = try #require(json(["doctor"], on: device)["findings"] as? [[String: String]])
        let finding = try #require(findings.first { $0["topic"] == "synchronization" })
        return (finding["level"] ?? "", finding["text"] ?? "")
    }

    @Test func `doctor reports changes to be sent, a pause, and that no agent runs`() async throws {
        try await DevicePair.run { pair in
            try pair.first.add("account", "one")
            #expect(
                try finding(pair.first) == ("note", "devices: 2; changes to be sent: 1; \(Self.notRunning)")
            )
            try await pair.first.agent.synchronize()
            #expect(
                try finding(pair.first) == ("note", "devices: 2; changes to be sent: 0; \(Self.notRunning)")
            )
            let lock = open(pair.first.directory + "/sync.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            #expect(flock(lock, LOCK_EX) == 0)
            #expect(try finding(pair.first) == ("ok", "devices: 2; changes to be sent: 0"))
            close(lock)
            try SyncStore(pair.first.keychain).setPaused(true)
            #expect(try finding(pair.first) == ("note", "devices: 2; changes to be sent: 0; paused"))
        }
    }
}
