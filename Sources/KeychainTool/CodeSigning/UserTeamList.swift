// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel

/// `team trust`, `team list` and `team remove`: the teams that the user trusts.
struct UserTeamList {
    let arguments: ScannedArguments

    private static let prompts = ["passcode of the keychain: "]

    func trust() throws(Failure) {
        guard let path = arguments.operands.first else { throw .usage("a team file is required") }
        let bytes = Array(try InputFile.read(path))
        let team: Team
        do throws(TeamFileDefect) {
            team = try TeamFile.parse(bytes)
        } catch {
            throw .message("\(BlobText.line(path)): \(error.text)", result: 1)
        }
        var store = TrustStore.ofSystem()
        guard store.addUserTeam(team) else {
            throw .message(
                "\(team.identifier.text): \(TrustStore.systemDirectory) has a file of this team",
                result: 1
            )
        }
        let passcode = try TeamPasscode(arguments: arguments).read(asking: Self.prompts)
        try call { () throws(StatusError) in try SystemKeychain.trust(team, passcode: passcode) }
        guard !arguments.has("json") else { return try reportChange(of: team.identifier) }
        try Console.write("\(team.identifier.text): trusted as \(team.name)\n")
    }

    func list() throws(Failure) {
        let ofUser = try call { () throws(StatusError) in try SystemKeychain.userTeams() }
        let system = TrustedTeams.warned(.ofSystem(), TrustStore.systemDirectory).teams
        let others = ofUser.filter { team in !system.contains { $0.identifier == team.identifier } }
        let teams = system.map { ("system", $0) } + others.map { ("user", $0) }
        guard arguments.has("json") else {
            return try Console.write(
                teams.map { source, team in
                    team.identifier.text + (source == "user" ? "  user    " : "  system  ") + team.name + "\n"
                }
                .joined()
            )
        }
        let objects = teams.map { source, team in
            JSONText.object([
                ("team", .string(team.identifier.text)), ("source", .string(source)),
                ("name", .string(team.name)),
            ])
        }
        let list = JSONText.object([("schemaVersion", .number(1)), ("teams", .array(objects))])
        try Console.write(list.line)
    }

    func remove() throws(Failure) {
        guard let text = arguments.operands.first, let team = TeamIdentifier(text) else {
            throw .usage("a team identifier is required")
        }
        let passcode = try TeamPasscode(arguments: arguments).read(asking: Self.prompts)
        try call { () throws(StatusError) in try SystemKeychain.stopTrusting(team, passcode: passcode) }
        try reportChange(of: team)
    }

    private func reportChange(of team: TeamIdentifier) throws(Failure) {
        try arguments.reportChange([("team", .string(team.text))])
    }

    private func call<Result>(_ body: () throws(StatusError) -> Result) throws(Failure) -> Result {
        do throws(StatusError) {
            return try body()
        } catch {
            if error.status == .itemNotFound {
                throw .message("the user does not trust this team", result: 44)
            }
            throw .message(KeychainCalls.described(error), result: error.status.rawValue)
        }
    }
}
