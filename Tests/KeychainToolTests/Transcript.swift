// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Commands and their expected output, as shown in a terminal.
///
/// A line `$ …` is a shell command. The lines after it are its standard output, its standard error after `! `, and
/// its exit code in brackets unless it is 0. `\` precedes an output line that looks like one of these;
/// `\ no newline` means that the last line of the output has none. `␠` stands for a space at the end of a line, `#`
/// begins a comment, `<store>` stands for the store's directory, `<home>` for its parent directory, and `<time>`,
/// `<digest>`, `<team>`, `<version>`, `<cache>` and `<seconds>` for values that differ between runs.
struct Transcript {
    struct Step {
        /// The comments and blank lines that precede the command.
        var preamble: [String] = []
        var command: String
        var outcome: [String] = []

        var lines: [String] { preamble + ["$ " + command] + outcome }
    }

    var steps: [Step] = []
    private var epilogue: [String] = []

    init(_ text: String) {
        var preamble: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).dropLast()
        {
            if line.hasPrefix("$ ") {
                steps.append(Step(preamble: preamble, command: String(line.dropFirst(2))))
                preamble = []
            } else if line.isEmpty || line.hasPrefix("#") || steps.isEmpty {
                preamble.append(line)
            } else {
                steps[steps.count - 1].outcome += preamble + [line]
                preamble = []
            }
        }
        epilogue = preamble
    }

    var text: String { (steps.flatMap(\.lines) + epilogue).map { $0 + "\n" }.joined() }

    /// Runs the commands and returns the transcript with their actual output.
    func performed(in home: TemporaryHome) throws -> Transcript {
        var transcript = self
        for index in steps.indices {
            let result = try home.shell(steps[index].command)
            let output = Self.lines(result.outputText, in: home).map(Self.escaped)
            let isOpen = result.output.last.map { $0 != UInt8(ascii: "\n") } ?? false
            transcript.steps[index].outcome =
                output + (isOpen ? ["\\ no newline"] : [])
                + Self.lines(result.complaintsText, in: home).map { $0.isEmpty ? "!" : "! " + $0 }
                + (result.code == 0 ? [] : ["[\(result.code)]"])
        }
        return transcript
    }

    private static func lines(_ text: String, in home: TemporaryHome) -> [String] {
        var lines = text.replacing(home.store, with: "<store>").replacing(home.directory, with: "<home>")
            .replacing(#/<timedate>=0x[0-9A-F]{30}00  "[0-9]{14}Z\\000"/#, with: "<timedate>=<time>")
            .replacing(#/"([cm]dat)":"[^"]*"/#) { "\"\($0.output.1)\":\"<time>\"" }
            .replacing(#/\b[A-Z2-7]{16}\b/#.wordBoundaryKind(.simple), with: "<team>")
            .replacing(#/"sha1":\{[^}]*\}/#, with: #""sha1":<digest>"#)
            .replacing(#/SQLite [0-9.]+, libsodium [0-9.]+/#, with: "SQLite <version>, libsodium <version>")
            .replacing(#/(ok       key cache: |"key cache","level":"ok","text":")[^"\n]*/#) {
                $0.output.1 + "<cache>"
            }
            .replacing(#/allowed in \d+ s$/#.anchorsMatchLineEndings(), with: "allowed in <seconds>")
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        return lines.map { $0.hasSuffix(" ") ? $0.dropLast() + "␠" : $0 }
    }

    private static func escaped(_ line: String) -> String {
        line.isEmpty || line.contains(#/^(\$ |#|!|\[\d+\]$|\\)/#) ? "\\" + line : line
    }
}
