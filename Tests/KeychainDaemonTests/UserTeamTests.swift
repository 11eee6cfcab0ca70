// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

/// Teams that a user trusts for the user's own keychain in the system service.
@Suite(.enabled(if: SystemDaemon.isPossible, "needs root"))
struct UserTeamTests {
    private static let passcode = "canary-passcode"

    @Test func `a team that a user trusts has its groups in this user's keychain only`() throws {
        let team = TestTeam()
        try SystemDaemon.with { daemon in
            let program = try daemon.copyTool("signed")
            try team.sign(program, groups: ["shared"])
            try team.trust(in: daemon.directory)
            let file = daemon.directory.appending(component: team.identifier + TeamFile.suffix).path
            let set = try daemon.security(["set-keychain-password", "-p", Self.passcode], as: .alice)
            #expect(set.isSuccess, "\(set.text)")
            let wrong = try daemon.security(
                ["team", "trust", file, "--passcode-fd", "0"],
                as: .alice,
                input: "canary"
            )
            #expect(!wrong.isSuccess)
            let before = try daemon.run(program, as: .alice)
            defer { before.end() }
            #expect(try before.ask("add canary canary-value \(team.identifier).shared") == "-34018")
            let trusted = try daemon.security(
                ["team", "trust", file, "--passcode-fd", "0"],
                as: .alice,
                input: Self.passcode
            )
            #expect(trusted.isSuccess, "\(trusted.text)")
            #expect(
                try daemon.security(["team", "list"], as: .alice).text.contains("\(team.identifier)  user")
            )
            let (alice, bob) = (try daemon.run(program, as: .alice), try daemon.run(program, as: .bob))
            defer { for child in [alice, bob] { child.end() } }
            #expect(try alice.ask("add canary canary-value \(team.identifier).shared") == "0")
            #expect(try bob.ask("add canary canary-value \(team.identifier).shared") == "-34018")
            let removed = try daemon.security(
                ["team", "remove", team.identifier, "--passcode-fd", "0"],
                as: .alice,
                input: Self.passcode
            )
            #expect(removed.isSuccess, "\(removed.text)")
            let after = try daemon.run(program, as: .alice)
            defer { after.end() }
            #expect(try after.ask("add second canary-value \(team.identifier).shared") == "-34018")
        }
    }
}
