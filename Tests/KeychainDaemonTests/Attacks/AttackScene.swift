// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

struct AttackFailure: Error, CustomStringConvertible {
    let description: String
}

/// A victim, which is identified in one way and stores an item, and an attacker's programs.
final class AttackScene {
    /// The account and the value of the victim's item.
    static let account = "canary"
    static let secret = "canary-value"
    /// The reply of a program that has read the victim's item.
    static let found = "0 \(secret)"

    let level: AttackLevel
    let directory: URL
    let team = TestTeam()
    /// The daemon; `nil` at the level without a daemon.
    private(set) var daemon: ChildProcess?
    /// The team's Unix group; `nil` unless the level is `group`.
    private let group: gid_t?
    /// The victim's sandbox; `nil` unless the level is `sandbox`.
    private let flatpak: FlatpakRoot?

    var teamGroup: String { "\(team.identifier).shared" }
    var socket: String { directory.path + "/run/socket" }
    var signedProgram: String { directory.path + "/victim" }

    var store: String {
        switch level {
        case .noDaemon, .userService: directory.path + "/home/store"
        case .digest, .sandbox, .group: directory.path + "/state/users/\(SystemDaemon.User.alice.rawValue)"
        }
    }

    private init(_ level: AttackLevel, in directory: URL) throws {
        self.level = level
        self.directory = directory
        chmod(directory.path, 0o711)
        group = level == .group ? try SystemGroup.required().number : nil
        flatpak = level == .sandbox ? try FlatpakRoot(in: directory) : nil
        try makeDirectory("teams", mode: 0o755)
        try makeDirectory("home", mode: 0o700, owner: .alice)
        try makeDirectory("runtime", mode: 0o700, owner: .alice)
        if level == .userService { try makeDirectory("run", mode: 0o700, owner: .alice) }
        try writeEntitlements()
        try copyTool("victim")
        try team.sign(signedProgram, groups: ["shared"])
        try team.trust(
            in: directory.appending(component: "teams"),
            group: level == .group ? SystemGroup.withoutMembers?.name : nil,
            minimumLevel: level == .group ? .group : level == .sandbox ? .sandbox : .digest,
            sandboxes: level == .sandbox ? [FlatpakRoot.sandbox] : []
        )
        daemon = try startDaemon()
    }

    static func with<Result>(_ level: AttackLevel, _ body: (AttackScene) throws -> Result) throws -> Result {
        try TestTool.withDirectory { directory in
            let scene = try AttackScene(level, in: directory)
            defer { scene.daemon?.end() }
            return try body(scene)
        }
    }

    private func makeDirectory(_ name: String, mode: mode_t, owner: SystemDaemon.User? = nil) throws {
        let path = directory.appending(component: name).path
        guard mkdir(path, 0o700) == 0 else { throw StartFailure(ending: .exited(errno)) }
        if let owner { chown(path, owner.rawValue, owner.rawValue) }
        chmod(path, mode)
    }

    /// Writes entitlements that claim the team's group, for the levels at which claims are not verified.
    private func writeEntitlements() throws {
        let path = directory.appending(component: "claim.plist")
        try PropertyListEncoder().encode(["keychain-access-groups": [teamGroup]]).write(to: path)
        chmod(path.path, 0o644)
    }

    /// Kills the daemon, and starts it again.
    func restartDaemon() throws {
        daemon?.end()
        daemon = try startDaemon()
    }

    private func startDaemon() throws -> ChildProcess? {
        let child: ChildProcess
        switch level {
        case .noDaemon: return nil
        case .userService:
            child = try run(
                DaemonProcess.executable,
                ["--user", "--socket", socket],
                environment: ["KEYCHAIN_BACKEND": ""]
            )
        case .digest, .sandbox, .group:
            child = try ChildProcess(
                DaemonProcess.executable,
                [
                    "--system", "--as",
                    "\(SystemDaemon.User.service.rawValue):\(SystemDaemon.User.service.rawValue)", "--socket",
                    socket,
                    "--state", directory.path + "/state", "--teams", directory.path + "/teams",
                ],
                environment: [:]
            )
        }
        guard let line = try child.readLine(), line.hasSuffix(": ready") else {
            throw StartFailure(ending: child.end())
        }
        return child
    }

    /// Copies the test tool under another name; `change` gives the copy another digest.
    @discardableResult
    func copyTool(_ name: String, change: Bool = false) throws -> String {
        let path = directory.appending(component: name).path
        let script = "cp \"$0\" \"$1\" && chmod 755 \"$1\" && printf %s \"$2\" >> \"$1\""
        let arguments = ["-c", script, TestTool.executable, path, change ? name : ""]
        let copy = try ChildProcess("/bin/sh", arguments, environment: [:])
        defer { copy.end() }
        guard try copy.wait() == .exited(0) else { throw StartFailure(ending: copy.end()) }
        return path
    }

    /// Runs a program as a user.
    ///
    /// At the level `group`, `inTeamGroup` makes the team's system group its effective group. At the level `sandbox`,
    /// `isConfined` runs it in the victim's sandbox, which a program of the same user can enter.
    func run(
        _ program: String,
        _ arguments: [String] = [],
        as user: SystemDaemon.User = .alice,
        inTeamGroup: Bool = false,
        isConfined: Bool = false,
        environment: [String: String] = [:]
    ) throws -> ChildProcess {
        let group = inTeamGroup ? group ?? user.rawValue : user.rawValue
        let identity = ["--reuid", "\(user.rawValue)", "--regid", "\(group)", "--clear-groups"]
        let usual = [
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "KEYCHAIN_ENTITLEMENTS": directory.path + "/claim.plist",
            "XDG_RUNTIME_DIR": directory.path + "/runtime", "KEYCHAIN_SOCKET": socket,
            "KEYCHAIN_HOME": directory.path + "/home/store",
            "KEYCHAIN_BACKEND": level == .noDaemon ? "embedded" : "daemon",
        ]
        let variables = usual.merging(environment) { $1 }.filter { !$0.value.isEmpty }
        let command = [program] + arguments
        if isConfined, let flatpak {
            let launch = flatpak.arguments(command, as: user)
            return try ChildProcess(FlatpakRoot.launcher, launch, environment: variables)
        }
        return try ChildProcess("/usr/bin/setpriv", identity + command, environment: variables)
    }

    func startVictim() throws -> ChildProcess {
        let victim = try run(signedProgram, inTeamGroup: true, isConfined: true)
        let status = try victim.ask("add \(Self.account) \(Self.secret)")
        guard status == "0" else {
            victim.end()
            throw AttackFailure(description: "the victim cannot store its item: \(status)")
        }
        return victim
    }

    /// Returns `.granted` if a program gets the victim's item, otherwise `.denied`.
    ///
    /// If there is a passcode, the program first unlocks the keychain with it.
    func getsItem(
        _ program: String,
        as user: SystemDaemon.User = .alice,
        passcode: String? = nil
    ) throws -> AttackOutcome {
        let attacker = try run(program, as: user, isConfined: true)
        defer { attacker.end() }
        if let passcode {
            let status = try attacker.ask("unlock \(passcode)")
            guard status == "0" else { throw AttackFailure(description: "not unlocked: \(status)") }
        }
        guard try attacker.ask("copy \(Self.account)") != Self.found else { return .granted }
        // The audit log does not record that an item was not found. It records a call that names an access group which
        // the program lacks.
        if daemon != nil { _ = try attacker.ask("add attempt canary-value \(teamGroup)") }
        return .denied
    }

    func hasRecorded(_ wanted: AttackRecord) throws -> Bool {
        let directory = level == .userService ? store + ".audit" : self.directory.path + "/state/audit"
        var isFound = false
        _ = try AuditLogReader.verify(directory) { record in
            isFound =
                isFound
                || record["operation"] == wanted.operation && record["result"] == "\(wanted.result)"
                    && record["user"] == "\(wanted.user.rawValue)"
                    && (!wanted.isUnsigned || record["program"].hasPrefix("unsigned."))
        }
        return isFound
    }

    /// Runs `security` as the victim's user.
    func security(_ arguments: [String]) throws -> SecurityCommand.Result {
        let command = try run(SecurityCommand.executable, arguments, environment: ["HOME": directory.path])
        defer { command.end() }
        command.finishInput()
        return try SecurityCommand.Result(lines: command.readLines(), ending: command.wait())
    }

    /// Runs a command as a user; returns `.granted` if it succeeds, otherwise `.denied`.
    func succeeds(
        _ command: String,
        _ arguments: [String],
        as user: SystemDaemon.User = .alice
    ) throws -> AttackOutcome {
        let attacker = try run(command, arguments, as: user)
        defer { attacker.end() }
        return try attacker.wait() == .exited(0) ? .granted : .denied
    }
}

/// A Unix group of this machine without members, which a test can assign to a team.
enum SystemGroup {
    /// Returns the name and number of the group; fails if there is none, because root can make one.
    static func required() throws -> (name: String, number: gid_t) {
        if let withoutMembers { return withoutMembers }
        throw AttackFailure(description: "no system group without members: groupadd --system makes one")
    }

    static let withoutMembers: (name: String, number: gid_t)? = {
        for number: gid_t in 1..<1_000 {
            guard let entry = getgrgid(number) else { continue }
            let name = String(cString: entry.pointee.gr_name)
            if (try? TeamGroup.number(of: name)) == number { return (name, number) }
        }
        return nil
    }()
}
