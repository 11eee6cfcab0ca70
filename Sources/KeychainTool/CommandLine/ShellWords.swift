// SPDX-License-Identifier: Apache-2.0

/// Splits a line of interactive mode into words, as macOS's `security` does.
///
/// White space separates words. A single or double quotation mark opens a quotation only at the start of a word,
/// and the same mark ends the word. A backslash escapes the next character, within quotations too. A `#` is
/// an ordinary character.
package enum ShellWords {
    fileprivate enum State {
        case between, word, quotation(Unicode.Scalar)
    }

    package static func split(_ line: some StringProtocol) -> [String] {
        var words: [String] = []
        var word = ""
        var state = State.between
        var isEscaped = false
        for character in line.unicodeScalars {
            if case .between = state {
                if character.isSpace { continue }
                if character == "\"" || character == "'" {
                    state = .quotation(character)
                    continue
                }
                state = .word
            }
            if isEscaped {
                word.unicodeScalars.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if state.ends(at: character) {
                words.append(word)
                word = ""
                state = .between
            } else {
                word.unicodeScalars.append(character)
            }
        }
        if case .between = state { return words }
        return words + [word]
    }
}

extension ShellWords.State {
    fileprivate func ends(at character: Unicode.Scalar) -> Bool {
        switch self {
        case .between: false
        case .word: character.isSpace
        case .quotation(let mark): character == mark
        }
    }
}

extension Unicode.Scalar {
    /// Whether the C locale classifies the character as white space.
    fileprivate var isSpace: Bool {
        switch self {
        case " ", "\t", "\n", "\u{B}", "\u{C}", "\r": true
        default: false
        }
    }
}
