// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// Attempts the attacks of `Documentation/ThreatModel.md` with real processes, at each ``AttackLevel``.
@Suite(.enabled(if: SystemDaemon.isPossible, "needs root"))
struct AttackMatrixTests {
    /// An attack, and an ``AttackLevel`` at which it can be attempted.
    struct Attempt: Sendable, CustomTestStringConvertible {
        let attack: Attack
        let level: AttackLevel

        var testDescription: String { "\(attack.rawValue), at the level \(level.rawValue)" }

        static let all = AttackLevel.allCases.flatMap { level in
            Attack.allCases.filter { attack in
                // On a full disk, the system service treats programs of all levels alike.
                attack.outcome(at: level) != .absent
                    && !(attack == .fullDisk && [.sandbox, .group].contains(level))
            }
            .map { Self(attack: $0, level: level) }
        }
    }

    @Test(arguments: Attempt.all)
    func `an attack has the documented outcome`(attempt: Attempt) throws {
        let (attack, level) = (attempt.attack, attempt.level)
        #expect(try Self.outcome(of: attack, at: level) == attack.outcome(at: level))
    }

    private static func outcome(of attack: Attack, at level: AttackLevel) throws -> AttackOutcome {
        if attack == .preload, level == .group { return try SetGroupIDProgram.outcomeOfPreload() }
        if attack == .fullDisk { return try AvailabilityAttacks.fillDisk(at: level) }
        return try AttackScene.with(level) { scene in
            let victim = try scene.startVictim()
            defer { victim.end() }
            let outcome = try outcome(of: attack, scene, victim)
            if outcome == .denied, let record = attack.record(at: level) {
                #expect(try scene.hasRecorded(record), "the audit log lacks the denial")
            }
            return outcome
        }
    }

    private static func outcome(
        of attack: Attack,
        _ scene: AttackScene,
        _ victim: ChildProcess
    ) throws -> AttackOutcome {
        let (daemon, database) = ("\(scene.daemon?.process ?? 0)", scene.store + "/keychain.db")
        switch attack {
        case .otherUserReadsFiles: return try scene.succeeds("/bin/cat", [database], as: .bob)
        case .userReadsFiles: return try scene.succeeds("/bin/cat", [database])
        case .otherUserAsks: return try scene.getsItem(scene.signedProgram, as: .bob)
        case .unsignedAsks: return try scene.getsItem(scene.copyTool("unsigned", change: true))
        case .copiedSignature: return try copySignature(scene)
        case .replacedExecutable: return try replaceExecutable(scene)
        case .exec: return try script(AttackScripts.exec, [scene.socket], scene)
        case .passedDescriptor: return try script(AttackScripts.passedDescriptor, [scene.socket], scene)
        case .reusedProcessID: return try reuseProcessID(scene)
        case .preload: return try preload(scene)
        case .plugIn: return try loadPlugIn(scene)
        case .traceVictim: return try access(AttackScripts.traces, scene, victim)
        case .takenDescriptor: return try access(AttackScripts.takesDescriptor, scene, victim)
        case .signedCopier: return try copyThroughSignedProgram(scene)
        case .command: return try runCommand(scene)
        case .falseDialogUnlocks, .falseDialogAsks: return try usePasscode(scene, attack)
        case .traceDaemon: return try script(AttackScripts.access(AttackScripts.traces), [daemon], scene)
        case .killDaemon: return try scene.succeeds("/bin/sh", ["-c", "kill -9 \(daemon)"])
        case .squatter: return try squat(scene)
        case .garbage: return try AvailabilityAttacks.sendGarbage(scene, victim)
        case .slowMessage: return try AvailabilityAttacks.sendSlowly(scene, victim)
        case .killedClients: return try AvailabilityAttacks.killClients(scene, victim)
        case .killUnderLoad: return try AvailabilityAttacks.killDaemon(scene, victim)
        // `outcome(of:at:)` needs no victim for it.
        case .fullDisk: return .absent
        }
    }

    private static func copySignature(_ scene: AttackScene) throws -> AttackOutcome {
        let changed = try scene.copyTool("changed", change: true)
        try FileManager.default.copyItem(
            atPath: scene.signedProgram + ".signature",
            toPath: changed + ".signature"
        )
        return try scene.getsItem(changed)
    }

    private static func replaceExecutable(_ scene: AttackScene) throws -> AttackOutcome {
        try #require(rename(try scene.copyTool("other", change: true), scene.signedProgram) == 0)
        return try scene.getsItem(scene.signedProgram)
    }

    /// Starts the victim with a library of the attacker.
    private static func preload(_ scene: AttackScene) throws -> AttackOutcome {
        let library = try PreloadedLibrary.make(in: scene.directory)
        // `env` sets the variable, because `setpriv` would load the library, too.
        let arguments = ["LD_PRELOAD=\(library)", scene.signedProgram]
        let program = try scene.run("/usr/bin/env", arguments, isConfined: true)
        defer { program.end() }
        try program.send("copy \(AttackScene.account)")
        guard try program.readLine() == "preloaded" else { return .denied }
        return try program.readLine() == AttackScene.found ? .granted : .denied
    }

    /// Makes the victim load a library, as by an entry in its configuration; the code then runs in the victim.
    private static func loadPlugIn(_ scene: AttackScene) throws -> AttackOutcome {
        let library = try PreloadedLibrary.make(in: scene.directory)
        let program = try scene.run(scene.signedProgram, inTeamGroup: true, isConfined: true)
        defer { program.end() }
        guard try program.ask("load \(library)") == "preloaded" else { return .denied }
        #expect(try program.readLine() == "loaded")
        return try program.ask("copy \(AttackScene.account)") == AttackScene.found ? .granted : .denied
    }

    /// Connects, and becomes a signed copy of `cat`, through which another process of the attacker sends its messages.
    private static func copyThroughSignedProgram(_ scene: AttackScene) throws -> AttackOutcome {
        let copier = scene.directory.path + "/cat"
        let copy = try ChildProcess("/bin/cp", ["/bin/cat", copier], environment: [:])
        defer { copy.end() }
        try #require(try copy.wait() == .exited(0))
        try scene.team.sign(copier, groups: ["shared"])
        let messages = AttackMessages(scene.teamGroup)
        let arguments = [scene.socket, copier, messages.copy, messages.add, AttackScene.secret]
        return try script(AttackScripts.signedCopier, arguments, scene, isConfined: true)
    }

    private static func runCommand(_ scene: AttackScene) throws -> AttackOutcome {
        let arguments = [
            "find-generic-password", "-s", "canary service", "-a", AttackScene.account, "-w",
        ]
        let command = try scene.security(arguments)
        if command.isSuccess, command.lines == [AttackScene.secret] { return .granted }
        // The audit log does not record that an item was not found. It records a call that names an access group which
        // the command lacks.
        let addition = ["add-generic-password", "-s", "x", "-a", "x", "--access-group", scene.teamGroup]
        _ = try scene.security(addition + ["-w", "canary-value"])
        return .denied
    }

    /// Uses the passcode that the user has typed into a dialog of the attacker.
    private static func usePasscode(_ scene: AttackScene, _ attack: Attack) throws -> AttackOutcome {
        let passcode = "canary-of-dialog"
        for arguments in [["set-keychain-password", "-p", passcode], ["lock-keychain"]] {
            let result = try scene.security(arguments)
            guard result.isSuccess else { throw AttackFailure(description: result.text) }
        }
        let attacker = try scene.copyTool("unsigned", change: true)
        // `getsItem` throws if the keychain cannot be unlocked.
        let outcome = try scene.getsItem(attacker, passcode: passcode)
        return attack == .falseDialogUnlocks ? .granted : outcome
    }

    private static func script(
        _ script: String,
        _ arguments: [String],
        _ scene: AttackScene,
        isConfined: Bool = false
    ) throws -> AttackOutcome {
        try answer(scene.run("/usr/bin/python3", ["-c", script] + arguments, isConfined: isConfined))
    }

    private static func answer(_ attacker: ChildProcess) throws -> AttackOutcome {
        defer { attacker.end() }
        switch try attacker.readLine() {
        case "granted": return .granted
        case "denied": return .denied
        case "impossible": try Test.cancel("this machine does not let root choose the next process ID")
        case let line: throw AttackFailure(description: "the attacker failed: \(line ?? "")")
        }
    }

    private static func reuseProcessID(_ scene: AttackScene) throws -> AttackOutcome {
        let alice = "\(SystemDaemon.User.alice.rawValue)"
        return try answer(
            ChildProcess(
                "/usr/bin/python3",
                ["-c", AttackScripts.reusedProcessID, scene.socket, alice, alice],
                environment: [:]
            )
        )
    }

    /// Attacks a process: the running victim at level `group`, a child of the attacker at the other levels.
    ///
    /// `attack` is a Python function of ``AttackScripts``.
    private static func access(
        _ attack: String,
        _ scene: AttackScene,
        _ victim: ChildProcess
    ) throws -> AttackOutcome {
        if scene.level == .group {
            return try script(AttackScripts.access(attack), ["\(victim.process)"], scene)
        }
        let arguments = [scene.signedProgram, AttackScene.account]
        return try script(AttackScripts.accessToChild(attack), arguments, scene, isConfined: true)
    }

    /// Lets another user run a daemon at the socket path that the victim's program is configured to use.
    private static func squat(_ scene: AttackScene) throws -> AttackOutcome {
        let directory = scene.directory.path + "/bob"
        try #require(mkdir(directory, 0o755) == 0)
        chown(directory, SystemDaemon.User.bob.rawValue, SystemDaemon.User.bob.rawValue)
        let socket = directory + "/socket"
        let squatter = try scene.run(
            DaemonProcess.executable,
            ["--user", "--socket", socket],
            as: .bob,
            environment: ["KEYCHAIN_HOME": directory + "/store", "XDG_RUNTIME_DIR": directory]
        )
        defer { squatter.end() }
        #expect(try squatter.readLine()?.hasSuffix(": ready") == true)
        chmod(socket, 0o666)
        let program = try scene.run(
            scene.signedProgram,
            inTeamGroup: true,
            isConfined: true,
            environment: ["KEYCHAIN_SOCKET": socket]
        )
        defer { program.end() }
        return try program.ask("add new canary-value") == "0" ? .granted : .denied
    }

    @Test func `the table in ThreatModel.md lists the outcomes that these tests expect`() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Documentation/ThreatModel.md").standardizedFileURL
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
        let rows = Attack.allCases.map { attack in
            "| " + ([attack.rawValue] + attack.outcomes.map(\.rawValue)).joined(separator: " | ") + " |"
        }
        let header = "| Attack | " + AttackLevel.allCases.map(\.rawValue).joined(separator: " | ") + " |"
        let start = try #require(lines.firstIndex { $0 == header })
        #expect(lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map(String.init) == rows)
    }
}
