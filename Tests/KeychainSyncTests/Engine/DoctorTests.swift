// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSync
import KeychainTestSupport
import Testing

@Suite struct DoctorTests {
    private static func path(_ product: String) -> String {
        TestTool.executable.replacingOccurrences(of: "KeychainTestTool", with: product)
    }

    private func json(
        _ arguments: [String],
        on device: Device,
        _ variables: [String: String]
    ) throws -> [String: Any] {
        let usual = [
            "KEYCHAIN_HOME": device.directory, "KEYCHAIN_BACKEND": "embedded", "PATH": "/usr/bin:/bin",
        ]
        let process = try ChildProcess(
            Self.path("security"),
            arguments + ["--json"],
            environment: usual.merging(variables) { $1 }
        )
        let text = try process.readLines().joined(separator: "\n")
        _ = try process.wait()
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    private static let notRunning = "the synchronization agent is not running"

    private func finding(
        _ device: Device,
        _ variables: [String: String] = [:]
    ) throws -> (level: String, text: String) {
        let report = try json(["doctor"], on: device, variables)
        let findings = try #require(report["findings"] as? [[String: String]])
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

    @Test func `doctor reports the synchronization of a store that securityd serves for this user`()
        async throws
    {
        try await DevicePair.run { pair in
            try pair.first.add("account", "one")
            try TestTool.withDirectory { directory in
                let variables = ["XDG_RUNTIME_DIR": directory.path]
                let daemon = try ChildProcess(
                    Self.path("securityd"),
                    ["--user"],
                    environment: variables.merging(["KEYCHAIN_HOME": pair.first.directory]) { $1 }
                )
                defer { daemon.end() }
                #expect(try daemon.readLine()?.hasSuffix(": ready") == true)
                let found = try finding(pair.first, variables.merging(["KEYCHAIN_BACKEND": "daemon"]) { $1 })
                #expect(found == ("note", "devices: 2; changes to be sent: 1; \(Self.notRunning)"))
            }
        }
    }
}
