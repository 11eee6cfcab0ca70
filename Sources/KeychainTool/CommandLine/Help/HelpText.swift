// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc

/// Formats text in lines and columns that fit the terminal.
enum HelpText {
    /// The column in which the descriptions of a help text start.
    private static let column = 26

    /// The width of the terminal on standard output; 80 for a file, a pipe or a terminal of at most 40 columns.
    static let width: Int = {
        let columns = Int(clinux_terminal_columns(STDOUT_FILENO))
        return columns > 40 ? columns : 80
    }()

    /// Wraps text to less than the width, unless a word is longer; keeps the line breaks of the text.
    static func wrapped(_ text: String, to width: Int = width) -> String {
        var lines: [String] = []
        for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
            var line = ""
            for word in paragraph.split(separator: " ") {
                if !line.isEmpty, line.count + 1 + word.count >= width {
                    lines.append(line)
                    line = ""
                }
                line += (line.isEmpty ? "" : " ") + word
            }
            lines.append(line)
        }
        return lines.joined(separator: "\n")
    }

    /// Formats a label and, in the second column, its description.
    static func row(_ label: String, _ description: String) -> String {
        let lines = wrapped(description, to: width - column).split(separator: "\n")
        let margin = String(repeating: " ", count: column)
        let indented = "  \(label)"
        guard indented.count < column else {
            return "\(indented)\n" + lines.map { "\(margin)\($0)\n" }.joined()
        }
        let padding = String(repeating: " ", count: column - indented.count)
        return indented + padding + lines.joined(separator: "\n" + margin) + "\n"
    }
}
