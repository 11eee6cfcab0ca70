// SPDX-License-Identifier: Apache-2.0

extension Verb {
    static let team = group(
        "team",
        "Lists the teams whose signatures are trusted, and trusts teams for this user's keychain. (Not on macOS.)",
        discussion: """
            The administrator's teams are the files of /etc/keychain/teams.d. A user's teams are in the user's \
            keychain, and changing them requires its passcode.
            """,
        [trust, listTeams, remove]
    )

    private static let trust = Verb(
        "team trust",
        "Trusts a team for this user's keychain, or replaces the stored file of a team.",
        options: [passcodeDescriptor, .jsonReport],
        operand: Operand(name: "file", help: "The team's file, TEAMID.team.", limit: 1)
    ) { arguments throws(Failure) in try UserTeamList(arguments: arguments).trust() }

    private static let listTeams = Verb(
        "team list",
        "Lists the trusted teams: those of the system and those of the user.",
        options: [.json]
    ) { arguments throws(Failure) in try UserTeamList(arguments: arguments).list() }

    private static let remove = Verb(
        "team remove",
        "Stops trusting a team of the user.",
        options: [passcodeDescriptor, .jsonReport],
        operand: Operand(name: "team", help: "The team identifier.", limit: 1)
    ) { arguments throws(Failure) in try UserTeamList(arguments: arguments).remove() }

    // swift-format-ignore
    private static let passcodeDescriptor = ToolOption(
        nil, "passcode-fd", .text, nil, "descriptor", "Read the keychain's passcode from this descriptor; otherwise it is asked for.")
}
