// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc

/// Reads the lines of interactive mode from a terminal, with editing keys and a history in memory.
///
/// The terminal has its usual settings while a command runs.
struct LineEditor {
    private static let mostOfHistory = 500
    private static let usualWidth = 80

    private var history: [String] = []

    /// Creates the editor; `nil` if standard input or standard error is not a terminal that can move its cursor.
    init?() {
        guard Console.isTerminal(STDIN_FILENO), Console.isTerminal(STDERR_FILENO),
            !["", "dumb"].contains(Variable.string("TERM"))
        else { return nil }
    }

    /// Appends a line, which must not contain a secret, to the history.
    mutating func remember(_ line: String) {
        guard history.last != line else { return }
        history = history.suffix(Self.mostOfHistory - 1) + [line]
    }

    /// Shows a prompt and returns the line without its newline; `nil` at the end of input.
    func line(prompt: String) -> String? {
        var line = EditedLine(history: history)
        var keys = TerminalKeyParser()
        while true {
            let (outcome, signal) = TerminalSettings.change(of: STDIN_FILENO, Self.readKeys, flushing: false)
            { mask in
                Self.edit(&line, &keys, prompt, &mask)
            }
            guard signal != 0 else {
                Console.say("\n")
                return outcome == .finished ? line.text : nil
            }
            // If the signal only stops the process, the loop shows the line again when the process is resumed.
            raise(signal)
        }
    }

    /// Makes the terminal deliver each key at once, without printing it.
    private static func readKeys(_ settings: inout termios) {
        settings.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | IEXTEN)
    }

    private static func edit(
        _ line: inout EditedLine,
        _ keys: inout TerminalKeyParser,
        _ prompt: String,
        _ mask: inout sigset_t
    ) -> (EditedLine.Outcome?, Int32) {
        draw(line, prompt)
        while true {
            switch TerminalSettings.nextByte(from: STDIN_FILENO, &mask) {
            case .end: return (.endOfInput, 0)
            case .signal(let signal): return (nil, signal)
            case .byte(let byte):
                guard let key = keys.take(byte) else { continue }
                let outcome = key == .complete ? complete(&line) : line.apply(key)
                switch outcome {
                case .edited: draw(line, prompt)
                case .ignored: Console.say("\u{7}")
                case .finished: return (.finished, 0)
                case .endOfInput: return (.endOfInput, 0)
                }
            }
        }
    }

    /// Completes the word before the cursor; shows the words that can follow if there are several.
    private static func complete(_ line: inout EditedLine) -> EditedLine.Outcome {
        let completion = LineCompletion(line.textBeforeCursor, from: CompletionSources.words)
        guard let completion else { return .ignored }
        if line.replace(last: completion.replacedCount, by: completion.replacement) { return .edited }
        guard completion.candidates.count > 1 else { return .ignored }
        let shown = completion.candidates.prefix(mostOfCandidates).map { BlobText.line($0) }
        let rest = completion.candidates.count - shown.count
        Console.say("\n\(table(shown))\(rest > 0 ? "and \(rest) more\n" : "")")
        return .edited
    }

    private static let mostOfCandidates = 100

    /// Formats words in columns that fit the terminal.
    private static func table(_ words: [String]) -> String {
        let columns = Int(clinux_terminal_columns(STDERR_FILENO))
        let width = (words.map(\.terminalColumns).max() ?? 0) + 2
        let perRow = max(1, (columns > 0 ? columns : usualWidth) / width)
        return stride(from: 0, to: words.count, by: perRow).map { start in
            let row = words[start..<min(start + perRow, words.count)]
            let padded = row.dropLast().map { $0 + String(repeating: " ", count: width - $0.terminalColumns) }
            return padded.joined() + (row.last ?? "") + "\n"
        }
        .joined()
    }

    /// Shows the prompt and the part of the line around the cursor in the current row of the terminal.
    private static func draw(_ line: EditedLine, _ prompt: String) {
        let columns = Int(clinux_terminal_columns(STDERR_FILENO))
        let prompt = BlobText.line(prompt)
        let width = (columns > 0 ? columns : usualWidth) - prompt.terminalColumns - 1
        let (text, column) = line.visible(in: width)
        let right = prompt.terminalColumns + column
        Console.say("\r\(prompt)\(BlobText.line(text))\u{1b}[K\r" + (right > 0 ? "\u{1b}[\(right)C" : ""))
    }
}
