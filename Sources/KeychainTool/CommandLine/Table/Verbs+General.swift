// SPDX-License-Identifier: Apache-2.0

extension Verb {
    // swift-format-ignore
    /// The options that precede the verb.
    package static let toolOptions: [ToolOption] = [
    //       letter  name           kind   attribute  value     help
        .init("i",  "interactive",  .flag,                      "Read commands from standard input, one per line."),
        .init("l",  "leaks",        .flag,                      "Accepted without effect."),
        .init("p",  "prompt",       .text,  nil,      "prompt", "Ask with this prompt; implies -i."),
        .init("q",  "quiet",        .flag,                      "Say less."),
        .init("v",  "verbose",      .flag,                      "Say which command runs."),
    ]

    static let help = Verb(
        "help",
        "Shows the commands, or the options of one.",
        operand: Operand(name: "command", help: "A command.", limit: .max)
    ) { arguments throws(Failure) in try Help.write(arguments.operands) }

    static let error = Verb(
        "error",
        "Says what statuses mean.",
        operand: Operand(
            name: "status",
            help: "Statuses by name, in decimal or with 0x in hexadecimal digits; exit codes too.",
            limit: .max
        ),
        readsOperandsOnly: true
    ) { arguments throws(Failure) in try StatusText.explain(arguments.operands) }

    static let dumpKeychain = Verb(
        "dump-keychain",
        "Shows every item that this program may open, without its data unless asked.",
        options: dumpOptions,
        operand: .keychains
    ) { arguments throws(Failure) in try DumpKeychain(arguments: arguments).run() }

    // swift-format-ignore
    private static let dumpOptions: [ToolOption] = [
        .init("a",  "access",       .flag,  "Show who can open each item, and when."),
        .init("d",  "data",         .flag,  "Show the data of each item."),
        .init("r",  "raw-data",     .flag,  "Refused: sealed data never leaves the store."),
        .init("i",  "edit-access",  .flag,  "Refused: access groups decide, and there is no list to edit."),
        .init(nil,  "json",         .flag,  "Print JSON. (Not on macOS.)"),
        applicationPassword,
    ]
}
