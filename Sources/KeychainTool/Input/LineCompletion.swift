// SPDX-License-Identifier: Apache-2.0

/// The completion of the word before the cursor, in interactive mode.
package struct LineCompletion: Equatable {
    /// The words that start with the incomplete word, sorted; words with control characters are left out.
    package let candidates: [String]
    /// The number of characters before the cursor that ``replacement`` replaces.
    package let replacedCount: Int
    /// The longest common prefix of all candidates, quoted as the incomplete word is.
    package let replacement: String

    /// Completes the last word of a line; `nil` without candidates.
    ///
    /// - Parameters:
    ///   - line: The line up to the cursor.
    ///   - sources: Returns all words of a kind, such as the names of the keychains.
    package init?(_ line: String, from sources: (CompletionKind) -> [String]) {
        let word = IncompleteWord(line)
        guard let kind = CompletionKind(word.words, word.text) else { return nil }
        let found = Set(
            sources(kind).filter { candidate in
                candidate.hasPrefix(word.text)
                    && !candidate.unicodeScalars.contains { $0.properties.generalCategory == .control }
            }
        )
        guard let first = found.min(), let last = found.max() else { return nil }
        candidates = found.sorted()
        replacedCount = word.rawCount
        // The common prefix of the first and the last of sorted words is that of all words.
        let common = String(zip(first, last).prefix { $0 == $1 }.map(\.0))
        let isUnique = first == last
        replacement = word.quoted(common, isComplete: isUnique && !common.hasSuffix("/"))
    }
}

package enum CompletionKind: Equatable {
    /// One of these words: verbs, subcommands or options.
    case words([String])
    case keychain
    /// The service and account of a generic password.
    case item
    /// A file name that begins with this path.
    case file(String)

    /// Determines what can follow complete words; `nil` if that is unknown.
    init?(_ words: [String], _ incomplete: String) {
        guard let name = words.first else {
            self = .words(Verb.table.map(\.name))
            return
        }
        guard let found = Verb.find(name) else { return nil }
        let (verb, rest) = found.selecting(words.dropFirst())
        let isFirst = rest.isEmpty
        if verb.name == Verb.help.name {
            self = .words(Verb.table.map(\.name))
        } else if let option = Self.optionBefore(rest, of: verb) {
            guard let kind = Self.value(of: option, incomplete) else { return nil }
            self = kind
        } else if incomplete.hasPrefix("-"), !rest.contains("--"), !verb.readsOperandsOnly {
            self = .words(verb.options.map { "--\($0.name)" })
        } else if isFirst, !verb.subcommands.isEmpty {
            self = .words(verb.subcommands.compactMap(\.words.last))
        } else {
            guard let operand = verb.operand else { return nil }
            self = Self.operand(operand, incomplete)
        }
    }

    /// The option whose value is the next word; `nil` if the last word is not such an option.
    private static func optionBefore(_ words: ArraySlice<String>, of verb: Verb) -> ToolOption? {
        guard let last = words.last, last.hasPrefix("-"), !words.contains("--") else { return nil }
        return verb.options.first { option in
            guard option.kind != .flag else { return false }
            if last == "--\(option.name)" { return true }
            // The letter of an option with a value is the last of several letters.
            return !last.hasPrefix("--") && option.letter != nil && last.unicodeScalars.last == option.letter
        }
    }

    private static func value(of option: ToolOption, _ incomplete: String) -> Self? {
        if option.kind.isSecret { return nil }
        if !option.values.isEmpty { return .words(option.values) }
        if option.name == "keychain" { return operand(.keychain, incomplete) }
        return ["file", "directory", "path"].contains(option.placeholder) ? .file(incomplete) : nil
    }

    private static func operand(_ operand: Operand, _ incomplete: String) -> Self {
        switch operand.name {
        case Verb.item.name, "prefix": .item
        case Operand.keychain.name, Operand.keychains.name:
            incomplete.contains("/") ? .file(incomplete) : .keychain
        default: .file(incomplete)
        }
    }
}

/// The complete words of a line, and the incomplete word at its end.
private struct IncompleteWord {
    private(set) var words: [String] = []
    /// The word without quotation and escapes.
    private(set) var text = ""
    /// The number of characters that the word takes in the line, with its quotation marks and escapes.
    private(set) var rawCount = 0
    /// The quotation mark that opens the word.
    private var mark: Character?

    init(_ line: String) {
        words = ShellWords.split(line)
        // After a space or a closing quotation mark, the last word is complete and a new, empty word begins.
        guard let start = Self.start(line) else { return }
        let raw = line[start...]
        rawCount = raw.count
        mark = raw.first.flatMap { "\"'".contains($0) ? $0 : nil }
        text = words.popLast() ?? ""
    }

    /// The start of the word that the line ends in; `nil` if the line ends between words.
    private static func start(_ line: String) -> String.Index? {
        // Append a letter to the line, and to each of its prefixes. The first prefix that then has as many words as the
        // line ends where the incomplete word starts. If the line ends with a space after a word, the letter is a word
        // of its own, and every prefix has fewer words.
        line.indices.first { index in
            ShellWords.split(line[..<index] + "x").count == ShellWords.split(line + "x").count
        }
    }

    /// Quotes a word with the quotation mark of this word, or else with escapes.
    ///
    /// A complete word gets the closing mark and a space.
    func quoted(_ word: String, isComplete: Bool) -> String {
        let special: String = mark.map { "\\\($0)" } ?? "\\ \t"
        var result = mark.map(String.init) ?? ""
        for (index, character) in word.enumerated() {
            let isMark = mark == nil && index == 0 && "\"'".contains(character)
            if special.contains(character) || isMark { result.append("\\") }
            result.append(character)
        }
        return isComplete ? result + (mark.map(String.init) ?? "") + " " : result
    }
}
