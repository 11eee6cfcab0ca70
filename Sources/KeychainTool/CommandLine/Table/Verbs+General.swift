// SPDX-License-Identifier: Apache-2.0

extension Verb {
    // swift-format-ignore
    /// The options that precede the verb.
    package static let toolOptions: [ToolOption] = [
    //       letter  name           kind   attribute  value     help
        .init("e",  "stop-on-error", .flag,                     "In interactive mode, end at the first error. (Not on macOS.)"),
        .init("i",  "interactive",  .flag,                      "Read commands from standard input, one per line."),
        .init("l",  "leaks",        .flag,                      "Accepted without effect."),
        .init(nil,  "no-prompt",    .flag,                      "Never ask the user: a command that would have to ask ends with 36. (Not on macOS.)"),
        .init("p",  "prompt",       .text,  nil,      "prompt", "Show this prompt in interactive mode; implies -i."),
        .init("q",  "quiet",        .flag,                      "Show no progress and, in interactive mode, not which commands failed."),
        .init("v",  "verbose",      .flag,                      "Print each command before it runs."),
    ]

    static let help = Verb(
        "help",
        "Shows the commands, or the options of one command.",
        operand: Operand(name: "command", help: "A command.", limit: .max)
    ) { arguments throws(Failure) in try Help.write(arguments.operands) }

    static let exit = Verb(
        "exit",
        "Ends interactive mode. (Not on macOS.)"
    ) { _ throws(Failure) in throw .usage("exit is only available in interactive mode") }

    static let error = Verb(
        "error",
        "Explains statuses and exit codes.",
        discussion: "--json must be the first argument: a negative status is no option.",
        options: [.init(nil, "json", .flag, "Print JSON. (Not on macOS.)")],
        operand: Operand(
            name: "status",
            help: "Statuses by name or number, decimal or hexadecimal with 0x; or exit codes.",
            limit: .max
        ),
        readsOperandsOnly: true
    ) { arguments throws(Failure) in try StatusText.explain(arguments) }

    static let dumpKeychain = Verb(
        "dump-keychain",
        "Shows every item that this program can open; -d also shows its data.",
        options: dumpOptions,
        operand: .keychains
    ) { arguments throws(Failure) in try DumpKeychain(arguments: arguments).run() }

    // swift-format-ignore
    private static let dumpOptions: [ToolOption] = [
        .init("a",  "access",       .flag,  "Show the access group, protection class and access control of each item."),
        .init("d",  "data",         .flag,  "Show the data of each item."),
        .init("r",  "raw-data",     .flag,  "Refused: sealed data never leaves the store."),
        .init("i",  "edit-access",  .flag,  "Refused: items have no access control lists; access groups decide which programs find an item."),
        .init(nil,  "json",         .flag,  "Print JSON. (Not on macOS.)"),
        applicationPassword,
    ]
}
