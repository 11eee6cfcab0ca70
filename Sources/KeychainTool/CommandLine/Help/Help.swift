// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainModel

/// The output of `help`, `--help` and `--version`, from the table of verbs.
enum Help {
    static let version = PackageVersion.text

    private static let overview =
        "Stores and finds passwords, keys and certificates in the keychain."
    static let discussion = """
        The store is the directory that KEYCHAIN_HOME names, else keychain in XDG_DATA_HOME. Options are read as \
        on macOS: letters can be clustered (-wa NAME) and values attached (-sNAME). A command can be abbreviated.

        The exit code of a command is 0 on success, 2 if its arguments are invalid, and otherwise the low byte of the \
        keychain's status: 44 if the item is not found, 45 if it exists already. security error 44 explains a code.
        """

    // swift-format-ignore
    private static let versionOption = ToolOption(nil, "version", .flag, "Show the version.")

    // swift-format-ignore
    private static let helpOption = ToolOption("h", "help", .flag, "Show help information.")

    // swift-format-ignore
    private static let completionOption = ToolOption(
        nil, "generate-completion-script", .text, nil, "shell", "Print the completion script of bash, zsh or fish.")

    // swift-format-ignore
    private static let manualOption = ToolOption(
        nil, "generate-manual-page", .text, nil, "section", "Print the manual page of section 1, 5 or 7.")

    /// The options before the verb, including those that print something and exit, such as `--version`.
    static var everyToolOption: [ToolOption] {
        Verb.toolOptions + [versionOption, completionOption, manualOption, helpOption]
    }

    /// Returns the options that completion scripts offer, for one verb or for the tool.
    static func completed(_ options: [ToolOption], ofTool: Bool = false) -> [ToolOption] {
        options + (ofTool ? [versionOption] : []) + [helpOption]
    }

    /// Prints the help of a command, or of the tool.
    static func write(_ words: [String]) throws(Failure) {
        guard let word = words.first else { return try Console.write(text()) }
        guard let verb = Verb.find(word)?.selecting(words.dropFirst()).verb else {
            throw .message("help: no such command", result: 1)
        }
        try Console.write(verb.name == Verb.help.name ? text() : text(of: verb))
    }

    /// Handles an option that prints something and exits; returns `false` for other arguments.
    static func answer(_ arguments: [String]) throws(Failure) -> Bool {
        guard let first = arguments.first, first.utf8.starts(with: "--".utf8) else { return false }
        let parts = first.split(separator: "=", maxSplits: 1).map(String.init)
        switch parts.first {
        case "--version":
            try Console.write(version + "\n")
        case "--help":
            try Console.write(text())
        case "--generate-completion-script":
            let shell = parts.count > 1 ? parts[1] : arguments.dropFirst().first
            guard let script = shell.flatMap(CompletionScript.script) else {
                // Do not repeat the argument in the message, because it may contain a password.
                throw .usage("illegal option or argument")
            }
            try Console.write(script)
        case "--generate-manual-page":
            let section = parts.count > 1 ? parts[1] : arguments.dropFirst().first
            guard let page = section.flatMap(ManualPage.page) else {
                throw .usage("illegal option or argument")
            }
            try Console.write(page)
        default: return false
        }
        return true
    }

    // MARK: Usage

    /// The number of options and operands above which the usage line abbreviates them.
    private static let longestUsage = 12

    /// Returns the line that starts with `Usage:`, for a verb or for the tool.
    static func usage(of verb: Verb?) -> String { "Usage: \(synopsis(of: verb))" }

    private static func synopsis(of verb: Verb?) -> String {
        guard let verb else {
            return (["security"] + Verb.toolOptions.map(word) + ["<subcommand>"]).joined(separator: " ")
        }
        let operand = verb.operand.map { "[<\($0.name)>\($0.limit > 1 ? " ..." : "")]" }
        let isLong = verb.options.count + (operand == nil ? 0 : 1) > longestUsage
        return
            (["security", verb.name] + (isLong ? ["[<options>]"] : verb.options.map(word))
            + [operand].compactMap { $0 }).joined(separator: " ")
    }

    private static func word(_ option: ToolOption) -> String {
        guard option.kind != .flag else { return "[--\(option.name)]" }
        return "[--\(option.name) <\(option.placeholder)>\(option.isRepeatable ? " ..." : "")]"
    }

    // MARK: Pages

    private static func text() -> String {
        let commands = Verb.table.filter { $0.name != Verb.help.name }
        let options = everyToolOption
        return """
            \(HelpText.wrapped("OVERVIEW: \(overview)"))

            \(HelpText.wrapped(discussion))

            USAGE: \(synopsis(of: nil))

            OPTIONS:
            \(options.map { HelpText.row($0.label, $0.help) }.joined())
            SUBCOMMANDS:
            \(commands.map { HelpText.row($0.name, $0.summary) }.joined())
              See 'security help <subcommand>' for detailed help.

            """
    }

    private static func subcommands(of verb: Verb) -> String {
        guard !verb.subcommands.isEmpty else { return "" }
        let rows = verb.subcommands.map { HelpText.row($0.words.last ?? "", $0.summary) }.joined()
        return "SUBCOMMANDS:\n\(rows)\n"
    }

    private static func text(of verb: Verb) -> String {
        let discussion = verb.discussion.map { HelpText.wrapped($0) + "\n\n" } ?? ""
        let operand =
            verb.operand.map { "ARGUMENTS:\n\(HelpText.row("<\($0.name)>", $0.help))\n" } ?? ""
        return """
            \(HelpText.wrapped("OVERVIEW: \(verb.summary)"))

            \(discussion)USAGE: \(synopsis(of: verb))

            \(operand)\(subcommands(of: verb))OPTIONS:
            \((verb.options + [helpOption]).map { HelpText.row($0.label, $0.help) }.joined())

            """
    }
}

extension ToolOption {
    /// The names of the option and the placeholder of its value, as shown in help.
    fileprivate var label: String {
        let names = (letter.map { "-\($0), " } ?? "") + "--\(name)"
        return kind == .flag ? names : "\(names) <\(placeholder)>"
    }
}
