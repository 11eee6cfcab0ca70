// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainClient
import KeychainModel

/// The programs that the administrator's files trust; the user service has no such files.
struct AdministratorTrust: Sendable {
    let teams: TrustStore
    let programs: RegisteredPrograms
    /// The teams' system groups by name, or the reasons why they identify no program.
    let groups: [String: Result<CheckedGroup, TeamGroupDefect>]
    /// The program that prompts users, and its group; `nil` if it is missing or not protected.
    let agent: (program: AgentProgram, group: CheckedGroup)?

    /// Reads the files, and checks the groups, for which it reads the whole user database.
    init(_ service: ServerConfiguration.Service) {
        guard case .system(let service) = service else {
            (teams, programs, groups, agent) = (TrustStore(), RegisteredPrograms(), [:], nil)
            return
        }
        teams = TrustStore(directory: service.teams)
        programs = RegisteredPrograms(directory: service.programs)
        var groups: [String: Result<CheckedGroup, TeamGroupDefect>] = [:]
        for name in teams.teams.compactMap(\.group) {
            groups[name] = Result { () throws(TeamGroupDefect) in
                let number = try TeamGroup.number(of: name, checksShadow: geteuid() == 0)
                return CheckedGroup(name, number, service.identify)
            }
        }
        self.groups = groups
        agent = AgentProgram(service.agent).map { program in
            (program, CheckedGroup(program.groupName, program.group, service.identify))
        }
        for group in checkedGroups {
            // After a timeout, let the daemon start without the answers: it asks again later.
            guard (try? group.isClosed()) != nil else { break }
        }
    }

    private var checkedGroups: [CheckedGroup] {
        let ofTeams = groups.sorted { $0.key < $1.key }.compactMap { try? $0.value.get() }
        return ofTeams + (agent.map { [$0.group] } ?? [])
    }

    /// The files that are not used, and the groups that identify no program.
    var defects: [TrustDefect] {
        let files = (teams.problems + programs.problems).map { problem in
            TrustDefect(.file, problem.file, problem.defect.text)
        }
        let groups = groups.sorted { $0.key < $1.key }.compactMap { name, group in
            switch group {
            case .failure(let defect): TrustDefect(.group, name, defect.text)
            case .success(let group): Self.defect(of: group)
            }
        }
        return files + groups + (agent.flatMap { Self.defect(of: $0.group) }.map { [$0] } ?? [])
    }

    private static func defect(of group: CheckedGroup) -> TrustDefect? {
        switch group.known {
        case true: nil
        case false:
            TrustDefect(.group, group.name, "/etc/gshadow gives it a password or members, or is unreadable")
        case nil: TrustDefect(.group, group.name, "keychain-identify has not answered yet")
        }
    }
}
