// SPDX-License-Identifier: Apache-2.0

import KeychainModel

extension Verb {
    static let get = Verb(
        "get",
        "Prints the password of an item. (Not on macOS.)",
        discussion: """
            The password is followed by a newline; control characters are escaped on a terminal. The account can be \
            left out if the service has only one.
            """,
        options: [
            keychainOption,
            .init(nil, "raw", .flag, "Print the password byte for byte and without a newline."),
            .init(nil, "json", .flag, "Print the item as JSON."),
        ],
        operand: item
    ) { arguments throws(Failure) in try GetPassword(arguments: arguments).run() }

    static let set = Verb(
        "set",
        "Stores the password of an item, or replaces it. (Not on macOS.)",
        discussion: """
            Prompts twice for the password, or reads all of standard input or a descriptor without one final newline. \
            With --generate, the password is random and not printed. If only an internet password has this name, it \
            replaces the password of that item.
            """,
        options: [keychainOption] + newSecretOptions + [expires, synchronizable, .jsonReport],
        operand: item
    ) { arguments throws(Failure) in try SetPassword(arguments: arguments).run() }

    static let rm = Verb(
        "rm",
        "Deletes an item. (Not on macOS.)",
        discussion: "The account can be left out if the service has only one.",
        options: [keychainOption, .jsonReport],
        operand: item
    ) { arguments throws(Failure) in try RemovePassword(arguments: arguments).run() }

    static let list = Verb(
        "list",
        "Prints the names of the generic passwords, or of all items. (Not on macOS.)",
        discussion: """
            On a terminal it prints a table. Elsewhere it prints a line for each item: the name, with --all the kind, \
            and the expiry if the item has one, separated by tabs. The name of an internet password is SERVER/ACCOUNT, \
            that of a certificate or key its label.
            """,
        options: [
            keychainOption,
            .init("a", "all", .flag, "Print internet passwords, certificates and keys, too."),
            .init(nil, "expired", .flag, "Print only items that have expired."),
            .init(nil, "json", .flag, "Print a JSON object with the items, without their passwords."),
        ],
        operand: Operand(
            name: "prefix",
            help: "Print only names that start with this prefix, ignoring case.",
            limit: 1
        )
    ) { arguments throws(Failure) in try ListItems(arguments: arguments).run() }

    static let run = Verb(
        "run",
        "Runs a command with passwords in its environment. (Not on macOS.)",
        discussion: """
            Options after the command belong to the command. Programs of the same user can read the environment of a \
            process, and the processes that the command starts inherit it.
            """,
        options: [
            keychainOption,
            .init(
                nil,
                "env",
                .text,
                nil,
                "name=item",
                isRepeatable: true,
                "A variable and the item with its value: NAME=SERVICE/ACCOUNT."
            ),
        ],
        operand: Operand(name: "command", help: "The command and its arguments.", limit: .max),
        stopsAtOperand: true
    ) { arguments throws(Failure) in try RunCommand(arguments: arguments).run() }

    static let doctor = Verb(
        "doctor",
        "Checks the store and what this program needs to use it. (Not on macOS.)",
        discussion: """
            Each line is a finding, ok, note or problem, with the remedy below it. It prints no secret and no \
            attribute of an item, and exits with 1 if there is a problem.
            """,
        options: [.json],
        operand: .keychain
    ) { arguments throws(Failure) in try Doctor(arguments: arguments).run() }

    static let exitCodes = Verb(
        "exit-codes",
        "Prints the exit codes and what they mean. (Not on macOS.)",
        options: [.json]
    ) { arguments throws(Failure) in try ExitCode.write(asJSON: arguments.has("json")) }

    static let item = Operand(
        name: "item",
        help: "The service or server, a slash and the account: mail.example/alice.",
        limit: 1
    )

    private static let synchronizable = ToolOption(
        nil,
        "synchronizable",
        .flag,
        .synchronizable,
        "Store a synchronizable item, or make the item synchronizable."
    )
}
