// SPDX-License-Identifier: Apache-2.0

/// A line that the user edits, and the earlier lines that the arrow keys recall.
package struct EditedLine {
    package enum Outcome: Equatable {
        case edited, finished, endOfInput
        case ignored
    }

    package private(set) var characters: [Character] = []
    /// The index of the character after the cursor.
    package private(set) var cursor = 0
    private let history: [String]
    /// The index in the history of the line that is shown; `history.count` for the new line.
    private var shown: Int
    /// The text of the new line while a line of the history is shown.
    private var newLine: [Character] = []

    package init(history: [String] = []) {
        self.history = history
        shown = history.count
    }

    package var text: String { String(characters) }

    package mutating func apply(_ key: TerminalKey) -> Outcome {
        switch key {
        case .enter: return .finished
        case .deleteForwardOrEnd where characters.isEmpty: return .endOfInput
        case .redraw: return .edited
        case .complete, .unknown: return .ignored
        default:
            let before = (characters, cursor, shown)
            edit(by: key)
            return before == (characters, cursor, shown) ? .ignored : .edited
        }
    }

    package var textBeforeCursor: String { String(characters[..<cursor]) }

    /// Replaces characters before the cursor; returns whether the line has changed.
    package mutating func replace(last count: Int, by text: String) -> Bool {
        let start = max(0, cursor - count)
        guard String(characters[start..<cursor]) != text else { return false }
        let head = Array(String(characters[..<start]) + text)
        characters.replaceSubrange(..<cursor, with: head)
        cursor = head.count
        return true
    }

    private mutating func edit(by key: TerminalKey) {
        switch key {
        case .character(let scalar): insert(scalar)
        case .left: cursor = max(0, cursor - 1)
        case .right: cursor = min(characters.count, cursor + 1)
        case .lineStart: cursor = 0
        case .lineEnd: cursor = characters.count
        case .previousLine: show(shown - 1)
        case .nextLine: show(shown + 1)
        case .deleteBackward: delete(from: max(0, cursor - 1), to: cursor)
        case .deleteForward, .deleteForwardOrEnd: delete(from: cursor, to: min(characters.count, cursor + 1))
        case .deleteWord: delete(from: startOfWord, to: cursor)
        case .deleteToStart: delete(from: 0, to: cursor)
        case .deleteToEnd: delete(from: cursor, to: characters.count)
        case .complete, .enter, .redraw, .unknown: break
        }
    }

    private mutating func insert(_ scalar: Unicode.Scalar) {
        // A combining mark forms one character with the character before it.
        let head = Array(String(characters[..<cursor]) + String(scalar))
        characters.replaceSubrange(..<cursor, with: head)
        cursor = head.count
    }

    private mutating func delete(from start: Int, to end: Int) {
        characters.removeSubrange(start..<end)
        cursor = start
    }

    private var startOfWord: Int {
        let word = characters[..<cursor].lastIndex { $0 != " " } ?? 0
        return characters[..<word].lastIndex { $0 == " " }.map { $0 + 1 } ?? 0
    }

    private mutating func show(_ index: Int) {
        guard (0...history.count).contains(index), index != shown else { return }
        if shown == history.count { newLine = characters }
        shown = index
        characters = index == history.count ? newLine : Array(history[index])
        cursor = characters.count
    }

    /// The part of the line that fits into a width, and the column of the cursor in it.
    package func visible(in width: Int) -> (text: String, column: Int) {
        var (start, column) = (cursor, 0)
        while start > 0, column + characters[start - 1].terminalColumns <= max(0, width - 1) {
            start -= 1
            column += characters[start].terminalColumns
        }
        return (String(String(characters[start...]).prefix(terminalColumns: max(1, width))), column)
    }
}
