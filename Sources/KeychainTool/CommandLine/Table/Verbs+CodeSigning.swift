// SPDX-License-Identifier: Apache-2.0

extension Verb {
    static let codesign = group(
        "codesign",
        "Signs executables with their entitlements, and verifies signatures. (Not on macOS.)",
        discussion: """
            A team signs an executable's digest with an identifier and access groups. The administrator trusts a team \
            by its file in /etc/keychain/teams.d. Documentation/CodeSigning.md describes the format and what a \
            signature does not cover.
            """,
        [createTeam, sign, verify, display, rotate, install, adopt]
    )

    private static let createTeam = Verb(
        "codesign create-team",
        "Creates a team's keys in a file encrypted with a passcode, and the team file TEAMID.team.",
        discussion: """
            The keys are the team key and signing key 1. TEAMID.team is written beside them: an administrator who \
            trusts the team copies it to /etc/keychain/teams.d.
            """,
        options: creationOptions
    ) { arguments throws(Failure) in try CreateTeam(arguments: arguments).run() }

    private static let sign = Verb(
        "codesign sign",
        "Signs an executable with an identifier and entitlements.",
        discussion: """
            The signature is written to EXECUTABLE.signature, or with --xattr to the attribute \
            user.keychain.signature of the executable. In the property list, $(TeamIdentifierPrefix) at the start of \
            a group stands for the team identifier and a dot.
            """,
        options: signOptions,
        operand: executable
    ) { arguments throws(Failure) in try SignExecutable(arguments: arguments).run() }

    private static let verify = Verb(
        "codesign verify",
        "Verifies the signature of an executable, and whether its team is trusted.",
        discussion: """
            It exits with 0 if the signature is valid and trusted; with 1 if there is no signature, or the signature \
            is damaged or the executable has changed; with 3 if the signature is expired, revoked or not trusted.
            """,
        options: [teams, .json],
        operand: executable
    ) { arguments throws(Failure) in try VerifyExecutable(arguments: arguments).run() }

    private static let display = Verb(
        "codesign display",
        "Prints what the signature of an executable states, trusted or not.",
        options: [
            .init(nil, "entitlements", .flag, "Print the entitlements as a property list."), teams, .json,
        ],
        operand: executable
    ) { arguments throws(Failure) in try DisplaySignature(arguments: arguments).run() }

    private static let rotate = Verb(
        "codesign rotate",
        "Replaces a team's signing key by a new one with the next serial.",
        discussion: """
            Signatures of earlier signing keys stay valid until minimum-serial in the team's file revokes these keys. \
            With -o the new signing key is also written to a file without the team key, for a machine that signs.
            """,
        options: rotateOptions
    ) { arguments throws(Failure) in try RotateTeam(arguments: arguments).run() }

    private static let install = Verb(
        "codesign install",
        "Installs an executable with set-group-ID for its team's group; requires root.",
        discussion: """
            It verifies a copy of the executable against /etc/keychain/teams.d, gives it mode 2755 and the group that \
            the team's file names, and moves it into the directory. It refuses a file system mounted nosuid, an \
            executable that uses $ORIGIN or has file capabilities, library directories and parent directories that \
            others can write, and a group that a user can join. Its exit codes are those of verify.
            """,
        options: [
            .init(
                "d",
                "directory",
                .text,
                nil,
                "directory",
                "Where to install it: /usr/local/bin by default."
            )
        ],
        operand: executable
    ) { arguments throws(Failure) in try InstallExecutable(arguments: arguments).run() }

    private static let adopt = Verb(
        "codesign adopt",
        "Moves the items of an unsigned program that was updated into its present access group.",
        discussion: """
            In the system service, the access group of an unsigned program is made from the digest of its executable, \
            so an updated program does not find its items. This command gives them to the executable that the operand \
            names. It requires the keychain's passcode, or root. Items stay where they are if the program already has \
            items with the same keys; then it exits with 1.
            """,
        options: adoptOptions,
        operand: executable
    ) { arguments throws(Failure) in try AdoptItems(arguments: arguments).run() }
}

extension Verb {
    private static let executable = Operand(name: "executable", help: "The executable.", limit: 1)

    // swift-format-ignore
    private static let passcodeDescriptor = ToolOption(
        nil, "passcode-fd", .text, nil, "descriptor", "Read the passcode from this descriptor; otherwise it is asked for.")

    // swift-format-ignore
    private static let teams = ToolOption(
        nil, "teams", .text, nil, "directory", "Trust the team files of this directory instead of /etc/keychain/teams.d.")

    // swift-format-ignore
    private static let validUntil = ToolOption(
        nil, "valid-until", .text, nil, "date", "The day on which the signing key expires, such as 2030-01-31; by default, it never expires.")

    // swift-format-ignore
    private static let creationOptions: [ToolOption] = [
        .init("n", "name",         .text, nil, "name",  "The name of the team, which prompts show."),
        .init("o", "output",       .text, nil, "file",  "The file for the keys, which must not exist."),
        .init("g", "group",        .text, nil, "group", "The system group for executables that are installed."),
        validUntil,
        passcodeDescriptor,
    ]

    // swift-format-ignore
    private static let signOptions: [ToolOption] = [
        .init("s", "sign",         .text, nil, "file",  "The file with the team's keys."),
        .init("i", "identifier",   .text, nil, "name",  "The identifier of the program, such as com.example.mail."),
        .init("e", "entitlements", .text, nil, "plist", "A property list with keychain-access-groups and com.apple.security.application-groups."),
        .init(nil, "expires",      .text, nil, "date",  "The day on which the signature expires, such as 2030-01-31; by default, it never expires."),
        .init(nil, "group-only",   .flag,               "Grant the entitlements only to an executable that is installed with the team's group."),
        .init(nil, "xattr",        .flag,               "Write the signature to an extended attribute of the executable."),
        passcodeDescriptor,
    ]

    // swift-format-ignore
    private static let adoptOptions: [ToolOption] = [
        .init(nil, "from",         .text, nil, "source", "The earlier executable, the digest that b2sum -l 256 prints for it, or its access group."),
        .init(nil, "list",         .flag,               "List the access groups of unsigned programs, with their numbers of items."),
        .init(nil, "user",         .text, nil, "user",  "The user whose items are moved; requires root."),
        teams,
        passcodeDescriptor,
        .json,
    ]

    // swift-format-ignore
    private static let rotateOptions: [ToolOption] = [
        .init("s", "sign",         .text, nil, "file",  "The file with the team's keys, which is replaced."),
        .init("o", "output",       .text, nil, "file",  "Another file, for the signing key without the team key; it must not exist."),
        validUntil,
        passcodeDescriptor,
    ]
}
