// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainModel

/// Runs one command line, or several in interactive mode.
struct Session {
    private let isQuiet: Bool
    private let isVerbose: Bool
    private let stopsOnError: Bool
    private var isInteractive = false

    /// Runs the tool; returns the result, whose low byte is the exit code.
    static func run(_ arguments: [String]) -> Int32 {
        do throws(Failure) {
            if try Help.answer(arguments) { return 0 }
            let scanned = try ArgumentScanner.scanTool(arguments[...])
            if scanned.wantsHelp {
                try Help.write(scanned.operands)
                return 0
            }
            var session = Session(scanned)
            if !scanned.operands.isEmpty { return session.execute(scanned.operands) }
            let prompt = scanned.value("prompt")
            if prompt != nil || scanned.has("interactive") {
                return try session.interact(prompt: prompt ?? "security> ")
            }
            throw .usage("a command is required")
        } catch {
            return report(error, verb: nil)
        }
    }

    private init(_ options: ScannedArguments) {
        isQuiet = options.has("quiet")
        isVerbose = options.has("verbose")
        stopsOnError = options.has("stop-on-error")
        if options.has("no-prompt") { TerminalPrompt.forbid() }
    }

    /// Runs commands until `exit` or the end of standard input; returns the result of the first command that failed,
    /// or 0.
    ///
    /// With `--stop-on-error`, the first command that fails is the last. A line whose first word starts with `#` is
    /// a comment. A line that is not UTF-8 fails with the result 2. If a line cannot be read completely, neither it
    /// nor any later line is run.
    private mutating func interact(prompt: String) throws(Failure) -> Int32 {
        isInteractive = true
        var editor = LineEditor()
        var firstFailure: Int32 = 0
        while true {
            guard let line = try Self.nextLine(editor, prompt) else { return firstFailure }
            guard let line = String(validating: line, as: UTF8.self) else {
                Console.complain("a line is not UTF-8")
                if firstFailure == 0 { firstFailure = 2 }
                if stopsOnError { return firstFailure }
                continue
            }
            let words = ShellWords.split(line)
            if Self.hasNoSecret(words) { editor?.remember(line) }
            if words.first?.hasPrefix("#") == true { continue }
            if words == [Verb.exit.name] { return firstFailure }
            let result = execute(words)
            guard result != 0, let name = words.first else { continue }
            if firstFailure == 0 { firstFailure = result }
            if !isQuiet { Console.say("\(Verb.find(name) == nil ? "command" : name): returned \(result)\n") }
            if stopsOnError { return result }
        }
    }

    /// Returns the next line, which the user can edit on a terminal; `nil` at the end of input.
    private static func nextLine(_ editor: LineEditor?, _ prompt: String) throws(Failure) -> [UInt8]? {
        if let editor { return editor.line(prompt: prompt).map { Array($0.utf8) } }
        if Console.isTerminal(STDIN_FILENO) { Console.say(prompt) }
        return try StandardInput.nextLine()
    }

    /// Whether a command certainly contains no password.
    ///
    /// An unknown command may be a password that the user typed after the prompt for it had ended.
    private static func hasNoSecret(_ words: [String]) -> Bool {
        guard let name = words.first, let verb = Verb.find(name) else { return false }
        let (selected, rest) = verb.selecting(words.dropFirst())
        // The operands of some verbs are another program's arguments, which may contain a password.
        guard !selected.stopsAtOperand, selected.operand?.isSecret != true,
            let arguments = try? ArgumentScanner.scan(rest, of: selected)
        else { return false }
        return arguments.occurrences.allSatisfy { $0.value == nil || !$0.option.kind.isSecret }
    }

    private func execute(_ words: [String]) -> Int32 {
        guard let name = words.first else { return 0 }
        guard let verb = Verb.find(name) else {
            // In interactive mode, do not print the word: it may be part of a password for the previous command.
            let isPrefix = Verb.deleteKeychain.name.hasPrefix(name)
            let meant = isPrefix ? nil : Suggestion.word(like: name, in: Verb.table.map(\.name))
            Console.complain(
                (isInteractive ? "unknown command" : "unknown command \"\(name)\"")
                    + (meant.map { "; did you mean \($0)?" } ?? "")
            )
            if isPrefix {
                Console.complain("delete-keychain cannot be abbreviated")
            }
            return 1
        }
        let (selected, rest) = verb.selecting(words.dropFirst())
        do throws(Failure) {
            try perform(selected, rest)
            return 0
        } catch {
            return Self.report(error, verb: selected)
        }
    }

    private func perform(_ verb: Verb, _ words: ArraySlice<String>) throws(Failure) {
        var arguments = try ArgumentScanner.scan(words, of: verb)
        if arguments.wantsHelp { return try Help.write(verb.words) }
        arguments.isInteractive = isInteractive
        arguments.isQuiet = isQuiet
        arguments.isVerbose = isVerbose
        if isVerbose { Console.say(Self.transcript(verb, arguments)) }
        do throws(Failure) {
            try verb.run(arguments)
            if KeychainCalls.takeChange() { RotateKeys.resumeInBackground() }
        } catch {
            throw AccessGroups.explained(error, arguments)
        }
    }

    /// Formats the parsed command for `-v`, without operands and passwords.
    private static func transcript(_ verb: Verb, _ arguments: ScannedArguments) -> String {
        let options = arguments.occurrences.map { occurrence in
            switch occurrence.option.kind {
            case .flag: " --\(occurrence.option.name)"
            case let kind where kind.isSecret: " --\(occurrence.option.name) <password>"
            default: " --\(occurrence.option.name) \"\(BlobText.line(occurrence.value ?? ""))\""
            }
        }
        return "\(verb.name)\(options.joined())\n"
    }

    /// Prints a failure, and the usage of the verb if its arguments are invalid; returns the failure's result.
    static func report(_ failure: Failure, verb: Verb?) -> Int32 {
        switch failure {
        case .usage(let text):
            Console.complain(text)
            Console.say(Help.usage(of: verb) + "\n")
        case .status(let status, let step, let reason):
            if let reason, reason.reason != nil { Console.complain(KeychainCalls.described(reason)) }
            Console.complain("\(step): \(StatusText.sentence(status))")
        case .store(let status, let step, let detail):
            Console.complain(detail)
            Console.complain("\(step): \(StatusText.sentence(status))")
        case .file(let status, let step):
            Console.complain("\(step): \(StatusText.sentence(status))")
        case .said: break
        case .message(let text, _):
            Console.complain(text)
        }
        return failure.result
    }
}
