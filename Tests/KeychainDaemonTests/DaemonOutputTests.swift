// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

/// What `securityd` prints to standard output and standard error, which systemd writes to the journal.
@Suite struct DaemonOutputTests {
    private static func start(
        _ kind: TestedService.Kind,
        in directory: URL,
        teams prepare: (URL) throws -> Void = { _ in }
    ) throws -> ChildProcess {
        let arguments = kind == .user ? ["--user"] : SystemDaemon.arguments(in: directory)
        if kind == .system {
            chmod(directory.path, 0o711)
            try #require(mkdir(directory.path + "/teams", 0o755) == 0)
            try prepare(directory.appending(component: "teams"))
        }
        let daemon = try ChildProcess(
            "/bin/sh",
            ["-c", "exec \"$0\" \"$@\" 2>&1", DaemonProcess.executable] + arguments,
            environment: ["XDG_RUNTIME_DIR": directory.path, "KEYCHAIN_HOME": directory.path + "/store"]
        )
        guard try daemon.readLine()?.hasSuffix(": ready") == true else {
            throw StartFailure(ending: daemon.end())
        }
        return daemon
    }

    /// Makes calls that succeed and calls that fail, with names, values and passcodes that contain "canary".
    private static func use(_ client: DaemonKeychain) throws {
        for number in 0..<3 { try NumberedItems.add(number, to: client) }
        #expect(throws: StatusError.self) { try NumberedItems.add(0, to: client) }
        #expect(try NumberedItems.isStored(1, in: client))
        #expect(throws: StatusError.self) { _ = try NumberedItems.isStored(9, in: client) }
        try client.setPasscode(SecretBytes(text: "canary-passcode"))
        #expect(throws: StatusError.self) { try client.unlock(with: SecretBytes(text: "canary-wrong")) }
        try client.lock()
        #expect(throws: StatusError.self) { _ = try NumberedItems.isStored(1, in: client) }
        try client.unlock(with: SecretBytes(text: "canary-passcode"))
        try NumberedItems.delete(2, from: client)
    }

    /// Sends messages that the daemon refuses.
    private static func send(to path: String) throws {
        try RawClient(to: path).send(Array("canary-canary-canary-canary".utf8))
        let client = try RawClient.introduced(to: path)
        var damaged = RawClient.request(.secret(.unlock, SentSecret(SecretBytes(text: "canary-damaged"))))
            .frames
        damaged[damaged.count - 16] ^= 0xFF
        client.send(damaged)
        _ = try client.receive()
        let late = try RawClient.introduced(to: path)
        _ = try late.call(.secret(.unlock, SentSecret(SecretBytes(text: "canary-late"))), deadline: 1)
    }

    @Test(arguments: TestedService.Kind.allCases)
    func `securityd prints no name, value or passcode`(kind: TestedService.Kind) throws {
        if kind == .system, !SystemDaemon.isPossible { try Test.cancel("needs root") }
        try TestTool.withDirectory { directory in
            let daemon = try Self.start(kind, in: directory)
            defer { daemon.end() }
            let address = DaemonAddress.ofUser(runtimeDirectory: directory.path)
            try Self.use(DaemonKeychain(at: address, claim: NumberedItems.caller))
            try Self.send(to: address.path)
            kill(daemon.process, SIGHUP)
            kill(daemon.process, SIGTERM)
            let lines = try daemon.readLines()
            #expect(lines.last?.hasSuffix(": stopped") == true)
            #expect(lines.contains { $0.contains("head=") })
            for line in lines { #expect(!line.lowercased().contains("canary"), "\(line)") }
        }
    }

    @Test(.enabled(if: SystemDaemon.isPossible, "needs root"))
    func `securityd names defective files and unusable groups when it starts and when it reloads`() throws {
        let team = TestTeam()
        try TestTool.withDirectory { directory in
            let daemon = try Self.start(.system, in: directory) { teams in
                try team.trust(in: teams, group: "keychain-no-such-group")
                try Data("nonsense\n".utf8).write(to: teams.appending(component: "AAAAAAAAAAAAAAAA.team"))
            }
            defer { daemon.end() }
            kill(daemon.process, SIGHUP)
            // A call after the reload.
            let address = DaemonAddress.ofUser(runtimeDirectory: directory.path)
            let environment = ["KEYCHAIN_SOCKET": address.path, "KEYCHAIN_BACKEND": "daemon"]
            for command in ["daemon-status", "doctor"] {
                let result = try SecurityCommand.run([command], environment: environment)
                #expect(result.text.contains("AAAAAAAAAAAAAAAA.team"), "\(result.text)")
                #expect(result.text.contains("keychain-no-such-group"), "\(result.text)")
            }
            let result = try SecurityCommand.run(["daemon-status"], environment: environment)
            #expect(result.text.contains("groupadd"), "root gets the reason")
            kill(daemon.process, SIGTERM)
            let lines = try daemon.readLines()
            for name in ["file=AAAAAAAAAAAAAAAA.team", "group=keychain-no-such-group"] {
                #expect(lines.count { $0.contains(name) } == 2, "\(lines)")
            }
        }
    }
}
