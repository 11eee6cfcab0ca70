// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainSync
import KeychainTestSupport
import Testing

/// `security sync pause` and `resume`, and `run --once`, with programs.
@Suite(.timeLimit(.minutes(5))) struct PauseTests {
    private static func program(_ device: Device) -> Program {
        Program(["KEYCHAIN_HOME": device.directory, "KEYCHAIN_BACKEND": "embedded"])
    }

    @Test func `a paused agent neither sends nor receives until it is resumed`() async throws {
        try await DevicePair.run { pair in
            let log = LogFile(path: pair.second.directory + ".log")
            defer { log.remove() }
            let program = Self.program(pair.second)
            let agent = try program.startAgent(logging: log)
            defer { agent.end() }
            try await log.waits(for: "event=connected")
            try program.run("keychain-sync", ["pause"])
            try await log.waits(for: "event=paused")
            try pair.first.add("received", "value")
            try await pair.first.agent.synchronize()
            // The agent notices a local change, and still does nothing.
            try pair.second.add("sent", "value")
            try await log.waits(for: "event=paused", count: 2)
            #expect(try pair.second.value("received") == nil)
            let status = try SyncStore(pair.second.keychain).status()
            #expect(status.paused && status.outbox == 1 && status.problem == "paused")

            try program.run("keychain-sync", ["resume"])
            try await log.waits(for: "event=connected", count: 2)
            #expect(try await Device.waits { try pair.second.value("received") == "value" })
            try await log.waits(for: "event=pushed")
            try await pair.first.agent.synchronize()
            #expect(try pair.first.value("sent") == "value")
        }
    }

    @Test func `run --once does nothing while synchronization is paused`() async throws {
        try await DevicePair.run { pair in
            let program = Self.program(pair.second)
            try pair.second.add("account", "value")
            try program.run("keychain-sync", ["pause"])
            let failure = #expect(throws: Program.Failure.self) {
                try program.run("keychain-sync", ["run", "--once", "--json"])
            }
            #expect(failure?.lines.first?.contains(#""problem":"paused""#) == true)
            #expect(try SyncStore(pair.second.keychain).status().outbox == 1)
            try program.run("keychain-sync", ["resume"])
            try program.run("keychain-sync", ["run", "--once"])
            let status = try SyncStore(pair.second.keychain).status()
            #expect(status.outbox == 0 && !status.paused && status.problem == nil)
        }
    }

    @Test func `run --once saves its result for the status`() async throws {
        try await DevicePair.run { pair in
            let program = Self.program(pair.second)
            try program.run("keychain-sync", ["run", "--once"])
            #expect(try SyncStore(pair.second.keychain).status().since != nil)
            pair.server.kill(0)
            #expect(throws: Program.Failure.self) { try program.run("keychain-sync", ["run", "--once"]) }
            #expect(try SyncStore(pair.second.keychain).status().problem == "unreachable")
            try pair.server.start(0)
            try await pair.server.waitUntilReady()
            try program.run("keychain-sync", ["run", "--once"])
            #expect(try SyncStore(pair.second.keychain).status().problem == nil)
        }
    }

    @Test(arguments: ["status", "status --json", "devices", "conflicts --json", "run --once --json"])
    func `a command whose output cannot be written fails`(command: String) async throws {
        try await DevicePair.run { pair in
            let shell = try ChildProcess(
                "/bin/sh",
                ["-c", "'\(Program.folder)/keychain-sync' \(command) 2>&1 >/dev/full"],
                environment: ["KEYCHAIN_HOME": pair.second.directory, "KEYCHAIN_BACKEND": "embedded"]
            )
            defer { shell.end() }
            #expect(try shell.readLines() == ["security: sync: standard output: No space left on device"])
            #expect(try shell.wait() == .exited(1))
        }
    }

    @Test func `an agent whose lock cannot be opened does not say that another one runs`() async throws {
        try await DevicePair.run { pair in
            let directory = pair.second.directory
            try FileManager.default.createDirectory(
                atPath: directory + "/sync.lock",
                withIntermediateDirectories: false
            )
            let failure = #expect(throws: Program.Failure.self) {
                try Self.program(pair.second).run("keychain-sync", ["run", "--once", "--json"])
            }
            #expect(failure?.lines.first?.contains(#""problem":"store""#) == true)
        }
    }

    @Test func `no file receives the output of closed descriptors`() async throws {
        try await DevicePair.run { pair in
            let device = pair.second
            for command in ["status", "devices", "run --once", "unknown"] {
                let shell = try ChildProcess(
                    "/bin/sh",
                    ["-c", "'\(Program.folder)/keychain-sync' \(command) <&- >&- 2>&-"],
                    environment: ["KEYCHAIN_HOME": device.directory, "KEYCHAIN_BACKEND": "embedded"]
                )
                defer { shell.end() }
                // Only `run --once` prints nothing.
                let code: Int32 = command == "unknown" ? 2 : command == "run --once" ? 0 : 1
                #expect(try shell.wait() == .exited(code), "\(command)")
            }
            let keychain = try EmbeddedKeychain(at: StoreLocation(directory: device.directory))
            #expect(try SyncStore(keychain).status().devices == 2)
            for (name, content) in try device.files {
                #expect(content.range(of: Data("security: sync".utf8)) == nil, "\(name)")
                #expect(content.range(of: Data("fingerprint".utf8)) == nil, "\(name)")
            }
        }
    }
}
