// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// The attacks of `Documentation/ThreatModel.md` at each level, by real processes of the same user and of other users.
@Suite(.enabled(if: SystemDaemon.isPossible, "needs root"))
struct AttackMatrixTests {
    @Test(arguments: AttackCase.all)
    func `an attack has the documented outcome`(attack: AttackCase) throws {
        let expected = attack.attack.outcome(at: attack.level)
        guard expected != .absent, let actual = try Self.outcome(of: attack.attack, at: attack.level) else {
            return
        }
        #expect(actual == expected)
    }

    /// Makes the attack and returns its outcome; `nil` if this machine does not allow the attempt.
    private static func outcome(of attack: Attack, at level: AttackLevel) throws -> AttackOutcome? {
        if attack == .preload, level == .group { return try SetGroupIDProgram.outcomeOfPreload() }
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
    ) throws -> AttackOutcome? {
        switch attack {
        case .otherUserReadsFiles:
            return try scene.succeeds("/bin/cat", [scene.store + "/keychain.db"], as: .bob)
        case .userReadsFiles: return try scene.succeeds("/bin/cat", [scene.store + "/keychain.db"])
        case .otherUserAsks: return try scene.getsItem(scene.signedProgram, as: .bob)
        case .unsignedAsks: return try scene.getsItem(scene.copyTool("unsigned", change: true))
        case .copiedSignature:
            let changed = try scene.copyTool("changed", change: true)
            try FileManager.default.copyItem(
                atPath: scene.signedProgram + ".signature",
                toPath: changed + ".signature"
            )
            return try scene.getsItem(changed)
        case .replacedExecutable:
            guard rename(try scene.copyTool("other", change: true), scene.signedProgram) == 0 else {
                return nil
            }
            return try scene.getsItem(scene.signedProgram)
        case .exec, .passedDescriptor, .reusedProcessID, .preload, .traceVictim, .traceDaemon, .squatter:
            return try outcomeOnProcess(of: attack, scene, victim)
        }
    }

    private static func outcomeOnProcess(
        of attack: Attack,
        _ scene: AttackScene,
        _ victim: ChildProcess
    ) throws -> AttackOutcome? {
        switch attack {
        case .exec: return try script(AttackScripts.exec, [scene.socket], scene)
        case .passedDescriptor: return try script(AttackScripts.passedDescriptor, [scene.socket], scene)
        case .reusedProcessID: return try reuseProcessID(scene)
        case .preload:
            let library = try PreloadedLibrary.make(in: scene.directory)
            // `env` sets the variable, because `setpriv` would load the library, too.
            let arguments = ["LD_PRELOAD=\(library)", scene.signedProgram]
            return try PreloadedLibrary.outcome(scene.run("/usr/bin/env", arguments))
        case .traceVictim: return try trace(scene, victim)
        case .traceDaemon:
            return try script(AttackScripts.trace, ["\(scene.daemon?.process ?? 0)"], scene)
        case .squatter: return try squat(scene)
        default: return nil
        }
    }

    private static func script(
        _ script: String,
        _ arguments: [String],
        _ scene: AttackScene
    ) throws -> AttackOutcome? {
        try answer(scene.run("/usr/bin/python3", ["-c", script] + arguments))
    }

    private static func answer(_ attacker: ChildProcess) throws -> AttackOutcome? {
        defer { attacker.end() }
        switch try attacker.readLine() {
        case "granted": return .granted
        case "denied": return .denied
        case "impossible": return nil
        case let line: throw AttackFailure(description: "the attacker failed: \(line ?? "")")
        }
    }

    private static func reuseProcessID(_ scene: AttackScene) throws -> AttackOutcome? {
        let alice = "\(SystemDaemon.User.alice.rawValue)"
        return try answer(
            ChildProcess(
                "/usr/bin/python3",
                ["-c", AttackScripts.reusedProcessID, scene.socket, alice, alice],
                environment: [:]
            )
        )
    }

    /// Traces the running victim at level `group`, and a child of the attacker at the other levels.
    private static func trace(_ scene: AttackScene, _ victim: ChildProcess) throws -> AttackOutcome? {
        if scene.level == .group { return try script(AttackScripts.trace, ["\(victim.process)"], scene) }
        return try script(AttackScripts.traceChild, [scene.signedProgram, AttackScene.account], scene)
    }

    /// Runs a daemon of another user at the path that a program is told to use.
    private static func squat(_ scene: AttackScene) throws -> AttackOutcome? {
        let directory = scene.directory.path + "/bob"
        guard mkdir(directory, 0o755) == 0 else { return nil }
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
