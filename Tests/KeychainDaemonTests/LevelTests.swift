// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainClient
import KeychainControl
import KeychainModel
import KeychainTestSupport
import Testing

@Suite struct UserServiceLevelTests {
    @Test func `the user service names its level to the program and to security doctor`() throws {
        try DaemonProcess.with { daemon in
            #expect(try daemon.client().identity().level == .userService)
            #expect(try daemon.client().daemonStatus().level == .userService)
            try daemon.run { () throws in #expect(try SystemKeychain.callerLevel() == .userService) }
            try NumberedItems.add(1, to: daemon.client())
            let status = try daemon.run { () throws in try KeychainControl.status() }
            #expect(status.callerLevel == .userService)
            let doctor = try daemon.security(["doctor"])
            #expect(doctor.text.contains("level: user-service: "))
        }
    }

    @Test func `an item that requires a higher level is refused`() throws {
        try DaemonProcess.with { daemon in
            for level in ["digest", "sandbox", "group"] {
                let added = try daemon.security(
                    [
                        "add-generic-password", "-s", "canary", "-a", level, "--access-control",
                        "level-\(level)", "-w",
                    ],
                    input: "canary-value"
                )
                #expect(added.text.contains("level of identification") && !added.isSuccess)
            }
        }
    }
}

@Suite(.enabled(if: SystemDaemon.isPossible, "needs root"))
struct LevelTests {
    private static func level(of text: String) -> String? {
        text.split(separator: "\n").first { $0.contains("level: ") }
            .flatMap { $0.split(separator: ":").dropFirst().first }
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test func `an unsigned program reaches the level digest`() throws {
        try SystemDaemon.with { daemon in
            let doctor = try daemon.security(["doctor"], as: .alice)
            #expect(Self.level(of: doctor.text) == "digest")
            let client = daemon.client()
            try NumberedItems.add(1, to: client)
            let status = try client.run { () throws in try KeychainControl.status() }
            #expect(status.callerLevel == .digest)
        }
    }

    @Test func `an item with a minimum level is used at that level, and refused below it`() throws {
        try SystemDaemon.with { daemon in
            let control = ["--access-control", "level-digest"]
            let added = try daemon.security(
                ["add-generic-password", "-s", "canary", "-a", "canary"] + control + ["-w"],
                as: .alice,
                input: "canary-value"
            )
            #expect(added.isSuccess, "\(added.text)")
            let found = try daemon.security(
                ["find-generic-password", "-s", "canary", "-w"],
                as: .alice
            )
            #expect(found.text == "canary-value")
            let refused = try daemon.security(
                [
                    "add-generic-password", "-s", "canary", "-a", "other", "--access-control", "level-group",
                    "-w",
                ],
                as: .alice,
                input: "canary-value"
            )
            #expect(!refused.isSuccess && refused.text.contains("level of identification"))
        }
    }

    @Test func `a signed program in a Flatpak reaches the level sandbox, and in another Flatpak only digest`()
        throws
    {
        let team = TestTeam()
        try SystemDaemon.with(
            teams: { try team.trust(in: $0, minimumLevel: .sandbox, sandboxes: [FlatpakRoot.sandbox]) }
        ) { daemon in
            let program = try daemon.copyTool("signed")
            try team.sign(program, groups: ["shared"])
            let confined = try daemon.run(program, in: FlatpakRoot(in: daemon.directory))
            let other = try FlatpakRoot(in: daemon.directory, application: "org.example.Other")
            let attacker = try daemon.run(program, in: other)
            let free = try daemon.run(program, as: .alice)
            defer { for child in [confined, attacker, free] { child.end() } }
            #expect(try confined.ask("add canary canary-value") == "0")
            #expect(try confined.ask("group canary").hasSuffix("\(team.identifier).shared"))
            #expect(try daemon.recordedLevel(of: "\(team.identifier).app") == "sandbox")
            // Outside the sandbox, the program does not get the team's access group.
            for outside in [attacker, free] {
                #expect(try outside.ask("copy canary") == "-25300 ")
                #expect(try outside.ask("add x canary-value \(team.identifier).shared") == "-34018")
            }
        }
    }

    @Test(arguments: [CallerLevel.sandbox, .group])
    func `an item with a minimum level is neither read, changed nor deleted by a program below the level`(
        level: CallerLevel
    ) throws {
        let (team, group) = (TestTeam(), try SystemGroup.required())
        try SystemDaemon.with(teams: { try team.trust(in: $0, group: group.name) }) { daemon in
            let command = try daemon.copySecurity(signedBy: team)
            let flatpak = try FlatpakRoot(in: daemon.directory)
            /// Runs the signed command so that the daemon gives it the caller level `level` if `isAbove`, otherwise
            /// `digest`.
            func security(
                _ arguments: [String],
                input: String = "",
                isAbove: Bool
            ) throws -> SecurityCommand.Result {
                let shell = ["/bin/sh", "-c", "exec 2>&1; exec \"$0\" \"$@\"", command] + arguments
                let child =
                    if isAbove, level == .sandbox {
                        try daemon.run(shell[0], Array(shell[1...]), in: flatpak)
                    } else {
                        try daemon.run(
                            shell[0],
                            Array(shell[1...]),
                            as: .alice,
                            group: isAbove ? group.number : nil
                        )
                    }
                defer { child.end() }
                if !input.isEmpty { try child.send(input) }
                child.finishInput()
                return try SecurityCommand.Result(lines: child.readLines(), ending: child.wait())
            }
            let item = ["-s", "canary", "-a", "canary"]
            let added = try security(
                ["add-generic-password"] + item + ["--access-control", "level-\(level.name)", "-w"],
                input: "canary-value",
                isAbove: true
            )
            #expect(added.isSuccess, "\(added.text)")
            let attempts = [
                (["find-generic-password"] + item + ["-w"], ""),
                (["add-generic-password"] + item + ["-U", "-w"], "canary-other"),
                (["delete-generic-password"] + item, ""),
            ]
            for (arguments, input) in attempts {
                let refused = try security(arguments, input: input, isAbove: false)
                #expect(!refused.isSuccess, "\(arguments): \(refused.text)")
                #expect(refused.text.contains("level of identification"), "\(arguments): \(refused.text)")
            }
            let found = try security(["find-generic-password"] + item + ["-w"], isAbove: true)
            #expect(found.text == "canary-value")
            #expect(try security(["delete-generic-password"] + item, isAbove: true).isSuccess)
        }
    }
}

extension SystemDaemon {
    /// Runs a program in a Flatpak.
    fileprivate func run(
        _ program: String,
        _ arguments: [String] = [],
        in flatpak: FlatpakRoot
    ) throws -> ChildProcess {
        try ChildProcess(
            FlatpakRoot.launcher,
            flatpak.arguments([program] + arguments, as: .alice),
            environment: [
                "KEYCHAIN_SOCKET": socketPath, "KEYCHAIN_BACKEND": "daemon",
                "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            ]
        )
    }

    /// Copies `security`, and signs the copy.
    fileprivate func copySecurity(signedBy team: TestTeam) throws -> String {
        let path = directory.appending(component: "security").path
        let copy = try ChildProcess("/bin/cp", [SecurityCommand.executable, path], environment: [:])
        defer { copy.end() }
        try #require(try copy.wait() == .exited(0))
        try team.sign(path, groups: ["shared"])
        return path
    }

    /// Returns the caller level in a program's last record in the audit log; `nil` if there is no such record.
    func recordedLevel(of program: String) throws -> String? {
        try AuditLevel.last(of: program, in: state.path + "/audit")
    }
}

enum AuditLevel {
    /// Returns the caller level in a program's last record in an audit log; `nil` if there is no such record.
    static func last(of program: String, in directory: String) throws -> String? {
        var level: String?
        _ = try AuditLogReader.verify(directory) { record in
            if record["program"] == program { level = String(record["level"]) }
        }
        return level
    }
}
