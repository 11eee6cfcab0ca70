// SPDX-License-Identifier: Apache-2.0

extension Verb {
    static let team = group(
        "team",
        "Lists the teams whose signatures are trusted, and trusts teams for this user's keychain. (Not on macOS.)",
        discussion: """
            The administrator's teams are the files of /etc/keychain/teams.d. A user's teams are in the user's \
            keychain, and changing them requires its passcode.
            """,
        [trust, listTeams, remove, move]
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

    private static let move = Verb(
        "team move",
        "Moves the items of a team that has lost its key to its new team.",
        discussion: """
            The access groups of a team start with its identifier, so the programs of the new team do not find the \
            items of the earlier one. This command gives the items in each group of the earlier team to the group of \
            the new team with the same name. It requires root if the administrator trusts the earlier team or no one \
            trusts it; for a team that the user trusts, it requires the keychain's passcode. Items stay where they are \
            if the new team already has items with the same keys, or if their access control requires what this \
            command lacks, such as the passcode; then it exits with 1.
            """,
        options: moveOptions,
        operand: Operand(
            name: "team",
            help: "The identifier of the earlier team, and that of the new one.",
            limit: 2
        )
    ) { arguments throws(Failure) in try AdoptItems(arguments: arguments).moveTeam() }

    // swift-format-ignore
    private static let moveOptions: [ToolOption] = [
        .init(nil, "user", .text, nil, "user", "The user whose items are moved; requires root."),
        passcodeDescriptor,
        .json,
    ]

    // swift-format-ignore
    private static let passcodeDescriptor = ToolOption(
        nil, "passcode-fd", .text, nil, "descriptor", "Read the keychain's passcode from this descriptor; otherwise it is asked for.")
}
