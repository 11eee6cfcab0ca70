// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainDaemon
import KeychainModel

/// Determines the access groups of a program from its signature, sandbox, path or digest.
final class ClientIdentifier {
    private let examiner = ProgramExaminer()
    private let teams = TrustStore.ofSystem()
    /// Whether all programs outside a sandbox see all items.
    private let isShared: Bool

    init(isShared: Bool) { self.isShared = isShared }

    /// A program and the items that it sees.
    struct Result {
        let program: ExaminedProgram
        let scope: OwnerScope

        /// The file name of the executable or the sandbox's name, for dialogs.
        var name: String {
            if case .sandbox(let sandbox) = program.identity { return sandbox.name }
            return program.path.split(separator: "/").last.map(String.init) ?? program.path
        }
    }

    /// Identifies the program of a process; `nil` if that is impossible.
    func identify(_ process: Int32) -> Result? {
        guard let program = examiner.examine(process) else { return nil }
        var isSandboxed = false
        switch program.identity {
        case .sandbox: isSandboxed = true
        case .unidentified: guard isShared else { return nil }
        case .installed, .digest: break
        }
        let owners = signedGroups(of: program) ?? [Self.group(of: program.identity)]
        let scope = OwnerScope(
            owners: owners,
            seesAll: isShared && !isSandboxed,
            seesImported: !isSandboxed
        )
        return program.isRunning ? Result(program: program, scope: scope) : nil
    }

    static func group(of identity: ExaminedProgram.Identity) -> String {
        switch identity {
        case .installed(let path): "program:" + path
        case .digest(let digest): digest.privateGroup
        case .sandbox(let sandbox): sandbox.text
        case .unidentified: "unidentified"
        }
    }

    /// The access groups that a signature of a trusted team grants; `nil` without one, or if the program is sandboxed or
    /// cannot be identified.
    ///
    /// The result is also `nil` for a signature that grants no group, and for one that requires the program to run in a
    /// sandbox or with its team's system group.
    private func signedGroups(of program: ExaminedProgram) -> [String]? {
        switch program.identity {
        case .sandbox, .unidentified: return nil
        case .installed, .digest: break
        }
        guard let signature = SignatureSource.read(program.path), let digest = examiner.digest(program) else {
            return nil
        }
        let time = SystemClock.unixMilliseconds / 1_000
        var verdict = teams.evaluate(signature, of: digest, at: time)
        if verdict == .distrusted(.unknownTeam) {
            var teams = teams
            for team in (try? SystemKeychain.userTeams()) ?? [] { teams.addUserTeam(team) }
            verdict = teams.evaluate(signature, of: digest, at: time)
        }
        guard case .trusted(let identity) = verdict, identity.minimumLevel <= .digest else { return nil }
        let groups = identity.caller { _ in false }.accessGroups
        return groups.isEmpty ? nil : groups
    }
}
