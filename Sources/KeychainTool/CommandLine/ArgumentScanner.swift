// SPDX-License-Identifier: Apache-2.0

/// The parsed options and operands of a command line.
package struct ScannedArguments {
    package struct Occurrence {
        package let option: ToolOption
        /// The value; `nil` for a flag, and for a password or passphrase option without a value.
        package let value: String?
    }

    package fileprivate(set) var occurrences: [Occurrence] = []
    package fileprivate(set) var operands: [String] = []
    package fileprivate(set) var wantsHelp = false
    /// The name of the verb; empty for the options before the verb.
    package fileprivate(set) var verb = ""
    /// Whether the tool is in interactive mode, in which standard input supplies commands and passwords.
    var isInteractive = false
    /// Whether the tool was called with `-q`.
    var isQuiet = false
    /// Whether the tool was called with `-v`.
    var isVerbose = false

    package func has(_ name: String) -> Bool {
        occurrences.contains { $0.option.name == name }
    }

    /// Returns the value of an option; if the option occurs several times, the last value.
    func value(_ name: String) -> String? {
        occurrences.last { $0.option.name == name }?.value
    }
}

/// Parses options as `getopt` does on macOS: clustered letters, attached or separate values, and `--`.
///
/// The argument after an option that takes a value is the value, even if it starts with a dash. Unlike on macOS,
/// options have long names, and may follow operands unless `stopsAtOperand` is set.
package struct ArgumentScanner {
    private let options: [ToolOption]
    private let stopsAtOperand: Bool
    private var rest: ArraySlice<String>
    private var scanned = ScannedArguments()

    private init(_ arguments: ArraySlice<String>, options: [ToolOption], stopsAtOperand: Bool) {
        rest = arguments
        self.options = options
        self.stopsAtOperand = stopsAtOperand
    }

    package static func scan(
        _ arguments: ArraySlice<String>,
        of verb: Verb
    ) throws(Failure) -> ScannedArguments {
        var scanner = Self(arguments, options: verb.options, stopsAtOperand: verb.stopsAtOperand)
        scanner.scanned.verb = verb.name
        if verb.readsOperandsOnly, arguments.first != "-h", arguments.first != "--help" {
            scanner.readOperands(verb.options)
            return scanner.scanned
        }
        try scanner.run()
        guard scanner.scanned.operands.count <= verb.operand?.limit ?? 0 else {
            throw .usage("too many operands")
        }
        return scanner.scanned
    }

    /// Takes every argument as an operand, except flags at the start that are written with their long names.
    private mutating func readOperands(_ flags: [ToolOption]) {
        while let word = rest.first, let flag = flags.first(where: { "--\($0.name)" == word }) {
            scanned.occurrences.append(.init(option: flag, value: nil))
            rest.removeFirst()
        }
        scanned.operands = Array(rest)
    }

    /// Parses the tool's options; the operands are the verb and its arguments.
    package static func scanTool(_ arguments: ArraySlice<String>) throws(Failure) -> ScannedArguments {
        var scanner = Self(arguments, options: Verb.toolOptions, stopsAtOperand: true)
        try scanner.run()
        return scanner.scanned
    }

    private mutating func run() throws(Failure) {
        while let argument = rest.popFirst() {
            if argument == "--" {
                break
            }
            let dashes = argument.utf8.prefix(2).prefix { $0 == UInt8(ascii: "-") }.count
            if dashes == 2 {
                try readName(argument.unicodeScalars.dropFirst(2))
            } else if dashes == 1, argument.utf8.count > 1 {
                try readLetters(argument.unicodeScalars.dropFirst())
            } else {
                scanned.operands.append(argument)
                if stopsAtOperand { break }
            }
        }
        scanned.operands += rest
    }

    // Iterates over scalars, not characters: an attached value may start with a combining mark.
    private mutating func readLetters(_ cluster: Substring.UnicodeScalarView) throws(Failure) {
        var cluster = cluster
        while let letter = cluster.popFirst() {
            guard let option = options.first(where: { $0.letter == letter }) else {
                guard letter == "h" else { throw .usage("illegal option -- \(letter)") }
                scanned.wantsHelp = true
                continue
            }
            guard option.kind == .flag else {
                try add(
                    option,
                    cluster.isEmpty
                        ? next(option, "option requires an argument -- \(letter)") : String(cluster)
                )
                return
            }
            try add(option, nil)
        }
    }

    private mutating func readName(_ argument: Substring.UnicodeScalarView) throws(Failure) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = Substring(parts[0])
        guard let option = options.first(where: { $0.name == name }) else {
            guard name == "help" else {
                let meant = Suggestion.word(like: String(name), in: options.map(\.name))
                throw .usage("illegal option -- \(name)" + (meant.map { "; did you mean --\($0)?" } ?? ""))
            }
            scanned.wantsHelp = true
            return
        }
        if option.kind == .flag {
            guard parts.count == 1 else { throw .usage("option takes no argument -- \(name)") }
            try add(option, nil)
        } else {
            try add(
                option,
                parts.count == 2
                    ? String(parts[1]) : next(option, "option requires an argument -- \(name)")
            )
        }
    }

    private mutating func next(_ option: ToolOption, _ complaint: String) throws(Failure) -> String? {
        if let value = rest.popFirst() { return value }
        guard option.kind == .secret || option.kind == .passphrase else { throw .usage(complaint) }
        return nil
    }

    private mutating func add(_ option: ToolOption, _ value: String?) throws(Failure) {
        scanned.occurrences.append(.init(option: option, value: value))
        guard option.kind == .pair else { return }
        guard let second = rest.popFirst() else {
            throw .usage("option requires two arguments -- \(option.name)")
        }
        scanned.occurrences.append(.init(option: option, value: second))
    }
}
