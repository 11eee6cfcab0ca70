// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel
import KeychainStore

/// The calls that list, add and remove the teams that a user trusts.
///
/// Each team is an item in the user's store. No program has the access group of these items, so the daemon changes them
/// itself, after it has verified the passcode.
struct UserTeamCalls {
    let store: UserStore

    func perform(_ call: DaemonCall) throws(StatusError) -> DaemonReply {
        switch call {
        case .trustTeam(let file, let passcode):
            guard let team = try? TeamFile.parse(Array(file.utf8)) else {
                throw StatusError(.invalidParameter, .wrongValueType)
            }
            try store.use { keychain throws(StatusError) in
                try UserTeams.trust(team, in: keychain, passcode: passcode.bytes)
            }
        case .removeTeam(let text, let passcode):
            guard let team = TeamIdentifier(text) else {
                throw StatusError(.invalidParameter, .wrongValueType)
            }
            try store.use { keychain throws(StatusError) in
                try UserTeams.remove(team, in: keychain, passcode: passcode.bytes)
            }
        default:
            let teams = try store.use { keychain throws(StatusError) in try UserTeams.list(in: keychain) }
            return .teams(teams.map(TeamFile.text))
        }
        return .response(.done)
    }
}
