// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

@Suite struct UserServiceLevelTests {
    @Test func `the user service names its level to the program and to security doctor`() throws {
        try DaemonProcess.with { daemon in
            #expect(try daemon.client().identity().level == .userService)
            #expect(try daemon.client().daemonStatus().level == .userService)
            try daemon.run { () throws in #expect(try SystemKeychain.callerLevel() == .userService) }
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

    @Test func `a signed program in a Flatpak reaches the level sandbox`() throws {
        let team = TestTeam()
        try SystemDaemon.with(
            teams: { try team.trust(in: $0, minimumLevel: .sandbox, sandboxes: [FlatpakRoot.sandbox]) }
        ) { daemon in
            let program = try daemon.copyTool("signed")
            try team.sign(program, groups: ["shared"])
            let flatpak = try FlatpakRoot(in: daemon.directory)
            let confined = try ChildProcess(
                FlatpakRoot.launcher,
                flatpak.arguments([program], as: .alice),
                environment: [
                    "KEYCHAIN_SOCKET": daemon.socketPath, "KEYCHAIN_BACKEND": "daemon",
                    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
                ]
            )
            defer { confined.end() }
            let free = try daemon.run(program, as: .alice)
            defer { free.end() }
            #expect(try confined.ask("add canary canary-value") == "0")
            #expect(try confined.ask("group canary").hasSuffix("\(team.identifier).shared"))
            #expect(try daemon.recordedLevel(of: "\(team.identifier).app") == "sandbox")
            // Outside the sandbox, the program does not get the team's access group.
            #expect(try free.ask("copy canary") == "-25300 ")
        }
    }
}

extension SystemDaemon {
    /// Returns the level of a program in the last record of the audit log; `nil` without a record.
    fileprivate func recordedLevel(of program: String) throws -> String? {
        var level: String?
        _ = try AuditLogReader.verify(state.path + "/audit") { record in
            if record["program"] == program { level = String(record["level"]) }
        }
        return level
    }
}

/// The levels of programs that AppArmor confines.
@Suite(.enabled(if: AppArmorProfile.isPossible, "needs root, AppArmor in the kernel, and apparmor_parser"))
struct AppArmorLevelTests {
    private static let name = "keychain-test-profile"

    /// Runs a signed program under a profile; returns the level of the program's identification.
    private static func level(mode: String, sandboxes: [String]) throws -> String? {
        let team = TestTeam()
        return try SystemDaemon.with(teams: { try team.trust(in: $0, sandboxes: sandboxes) }) { daemon in
            let program = try daemon.copyTool("signed")
            try team.sign(program, groups: ["shared"])
            let profile = try AppArmorProfile(name, of: program, mode: mode, in: daemon.directory)
            defer { profile.remove() }
            let child = try daemon.run(program, as: .alice)
            defer { child.end() }
            #expect(try child.ask("add canary canary-value") == "0")
            return try daemon.recordedLevel(of: "\(team.identifier).app")
        }
    }

    @Test(arguments: [
        ("enforce", [], "sandbox"), ("enforce", ["apparmor:\(name)"], "sandbox"),
        ("enforce", ["apparmor:other"], "digest"), ("complain", [], "digest"),
    ])
    func `a signed program reaches the level sandbox under an enforced profile that its team accepts`(
        mode: String,
        sandboxes: [String],
        level: String
    ) throws {
        #expect(try Self.level(mode: mode, sandboxes: sandboxes) == level)
    }
}

/// A profile of AppArmor that confines a program, and permits it everything.
struct AppArmorProfile {
    static let isPossible =
        SystemDaemon.isPossible && access("/sys/kernel/security/apparmor", F_OK) == 0
        && access("/usr/sbin/apparmor_parser", X_OK) == 0

    private let path: String

    /// Loads a profile in the mode `enforce` or `complain`.
    init(_ name: String, of program: String, mode: String, in directory: URL) throws {
        path = directory.path + "/profile"
        let flags = mode == "complain" ? "flags=(complain)" : ""
        let rules = "file, network, unix, signal, ptrace, capability,".replacing(",", with: ",\n")
        let text = "profile \(name) \(program) \(flags) {\n\(rules)}\n"
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        try Self.run(["--replace", path])
    }

    func remove() { try? Self.run(["--remove", path]) }

    private static func run(_ arguments: [String]) throws {
        let parser = try ChildProcess("/usr/sbin/apparmor_parser", arguments, environment: [:])
        defer { parser.end() }
        guard try parser.wait() == .exited(0) else { throw StartFailure(ending: parser.end()) }
    }
}
