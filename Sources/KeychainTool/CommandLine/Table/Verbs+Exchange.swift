// SPDX-License-Identifier: Apache-2.0

extension Verb {
    static let importPasswords = Verb(
        "import-passwords",
        "Adds the passwords of another program's file or Secret Service. (Not on macOS.)",
        discussion: """
            The file is only read. All of it is added in one transaction, or nothing. The report contains line or \
            entry numbers, and no values. The password of a KeePass database is prompted for, or read from standard \
            input. KeePass databases need a build with the package trait KeePass. From a running Secret Service, such as \
            gnome-keyring, all items are read; locked collections are unlocked by the prompts of that program.
            """,
        options: [
            keychainOption,
            .init(
                nil,
                "from",
                .text,
                nil,
                "format",
                "The format: chrome, firefox, 1password, bitwarden, keepass (KDBX 4), netrc, docker, macos (dump-keychain -d), pass, whose directory is the operand, or secret-service, which takes no file."
            ).taking(ImportFormat.allCases.map(\.rawValue)),
            .init(
                nil,
                "key-file",
                .text,
                nil,
                "file",
                "The key file of a KeePass database."
            ),
            .init(
                nil,
                "fd",
                .text,
                nil,
                "number",
                "Read the password of the KeePass database from this descriptor."
            ),
            .init("n", "dry-run", .flag, "Change nothing; print what would be done."),
            .init(
                nil,
                "on-conflict",
                .text,
                nil,
                "rule",
                "What to do with an item that exists: replace, fail, or skip, which is the default."
            ).taking(conflictRules),
            .json,
        ],
        operand: Operand(name: "file", help: "The file, or - for standard input.", limit: 1)
    ) { arguments throws(Failure) in try ImportPasswords(arguments: arguments).run() }

    static let exportPasswords = Verb(
        "export-passwords",
        "Writes passwords in plaintext, as other programs import them. (Not on macOS.)",
        options: [
            keychainOption,
            .init(
                nil,
                "to",
                .text,
                nil,
                "format",
                "The format: json, or csv with the columns of Chrome, which is the default."
            ).taking(["csv", "json"]),
        ],
        operand: Operand(name: "file", help: "The file to write, or - for standard output.", limit: 1)
    ) { arguments throws(Failure) in try ExportPasswords(arguments: arguments).run() }
}
