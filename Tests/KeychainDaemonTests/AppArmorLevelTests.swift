// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// How strongly the daemon identifies programs that AppArmor confines.
@Suite(.enabled(if: AppArmorProfile.isPossible, "needs root, AppArmor in the kernel, and apparmor_parser"))
struct AppArmorLevelTests {
    private static let name = "keychain-test-profile"

    /// Runs a signed program under an AppArmor profile; returns its `CallerLevel` in the daemon's audit log.
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

/// An AppArmor profile for a program, with rules that allow it everything.
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

/// How strongly the daemon identifies programs by AppArmor and Snap labels, tested with simulated labels.
@Suite(
    .enabled(
        if: SystemDaemon.isPossible && access("/sys/kernel/security/apparmor", F_OK) != 0,
        "needs root, and a kernel without AppArmor: the test replaces the file with the label"
    )
)
struct KernelLabelTests {
    /// Runs a signed program with a simulated AppArmor label; returns its `CallerLevel` in the daemon's audit log.
    ///
    /// A file with the label is mounted over the program's `/proc/PID/attr/current`, where the daemon reads it.
    private static func level(label: String, sandboxes: [String]) throws -> String? {
        let team = TestTeam()
        return try TestTool.withDirectory { directory in
            chmod(directory.path, 0o711)
            let teams = directory.appending(component: "teams")
            try FileManager.default.createDirectory(at: teams, withIntermediateDirectories: false)
            chmod(teams.path, 0o755)
            try team.trust(in: teams, sandboxes: sandboxes)
            let program = try SystemDaemon.copyTool("signed", to: directory)
            try team.sign(program, groups: ["shared"])
            try Data(label.utf8).write(to: directory.appending(component: "label"))
            let namespace = try MountNamespace("true", in: directory)
            defer { namespace.end() }
            let (socket, state) = (directory.path + "/keychain/socket", directory.path + "/state")
            let daemon = try namespace.startDaemon([
                "--socket", socket, "--state", state, "--teams", teams.path,
            ])
            defer { daemon.end() }
            let child = try namespace.start(
                program,
                as: .alice,
                environment: ["KEYCHAIN_SOCKET": socket, "KEYCHAIN_BACKEND": "daemon"]
            )
            defer { child.end() }
            // `cd` needs no daemon: when it is answered, the process has executed the program, but has not connected.
            #expect(try child.ask("cd /") == "0")
            try namespace.run("mount --bind \"$0/label\" /proc/\(child.process)/attr/current", in: directory)
            #expect(try child.ask("add canary canary-value") == "0")
            return try AuditLevel.last(of: "\(team.identifier).app", in: state + "/audit")
        }
    }

    @Test(arguments: [
        ("snap.mail.reader (enforce)\n", [], "sandbox"),
        ("snap.mail.reader (enforce)", ["snap:mail"], "sandbox"),
        ("snap.other.reader (enforce)", ["snap:mail"], "digest"),
        ("mail (enforce)\n", ["apparmor:mail"], "sandbox"), ("mail (complain)\n", [], "digest"),
        ("unconfined\n", [], "digest"), ("", [], "digest"), (" (enforce)", [], "digest"),
        // The kernel reports an enforced profile, whatever its name is.
        ("\u{1} (enforce)", [], "sandbox"), ("\u{1} (enforce)", ["apparmor:mail"], "digest"),
        (String(repeating: "a", count: 5_000) + " (enforce)", [], "digest"),
        ("system_u:system_r:mail_t:s0\0", [], "digest"), ("\0\u{FFFD}\n (enforce)", [], "digest"),
    ])
    func `keychain-identify recognizes the label of an enforced profile, and no other bytes`(
        label: String,
        sandboxes: [String],
        level: String
    ) throws {
        #expect(try Self.level(label: label, sandboxes: sandboxes) == level)
    }
}
