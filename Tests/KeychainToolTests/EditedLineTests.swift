// SPDX-License-Identifier: Apache-2.0

import KeychainTool
import Testing

@Suite struct EditedLineTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let typed: String
        let text: String
        let cursor: Int
    }

    private static let history = ["first", "second one"]

    // swift-format-ignore
    static let rows = [
        Row(testDescription: "characters", typed: "aé\u{1F600}", text: "aé\u{1F600}", cursor: 3),
        Row(testDescription: "a combining mark", typed: "xe\u{301}\u{7F}", text: "x", cursor: 1),
        Row(testDescription: "the Tab key, which completes a word", typed: "a\tb", text: "ab", cursor: 2),
        Row(testDescription: "the arrow keys", typed: "ac\u{1B}[Db\u{1B}[C\u{1B}[Cd", text: "abcd", cursor: 4),
        Row(testDescription: "the arrow keys of application mode", typed: "ac\u{1B}ODb\u{1B}OC", text: "abc", cursor: 3),
        Row(testDescription: "Home and End", typed: "b\u{1B}[Ha\u{1B}[Fc\u{1B}[1~0\u{1B}[4~d", text: "0abcd", cursor: 5),
        Row(testDescription: "Ctrl-A, Ctrl-E, Ctrl-B and Ctrl-F", typed: "bd\u{1}a\u{5}\u{2}c\u{6}e", text: "abcde", cursor: 5),
        Row(testDescription: "Backspace", typed: "abc\u{7F}\u{8}", text: "a", cursor: 1),
        Row(testDescription: "Delete", typed: "abc\u{1}\u{1B}[3~\u{4}", text: "c", cursor: 0),
        Row(testDescription: "Ctrl-W", typed: "one two  \u{17}", text: "one ", cursor: 4),
        Row(testDescription: "Ctrl-W in a word", typed: "one two\u{2}\u{17}", text: "one o", cursor: 4),
        Row(testDescription: "Ctrl-U", typed: "abc\u{2}\u{15}", text: "c", cursor: 0),
        Row(testDescription: "Ctrl-K", typed: "abc\u{2}\u{B}", text: "ab", cursor: 2),
        Row(testDescription: "an earlier line", typed: "\u{1B}[A", text: "second one", cursor: 10),
        Row(testDescription: "the first line", typed: "\u{10}\u{10}\u{10}", text: "first", cursor: 5),
        Row(testDescription: "the new line again", typed: "new\u{1B}[A\u{1B}[B", text: "new", cursor: 3),
        Row(testDescription: "a later line", typed: "\u{10}\u{10}\u{E}!", text: "second one!", cursor: 11),
        Row(testDescription: "unknown keys", typed: "a\u{1B}[15~\u{1B}x\u{1B}[200~\u{14}b", text: "ab", cursor: 2),
    ]

    @Test(arguments: rows)
    func `keys edit the line`(row: Row) {
        var (line, parser) = (EditedLine(history: Self.history), TerminalKeyParser())
        for byte in row.typed.utf8 { if let key = parser.take(byte) { _ = line.apply(key) } }
        #expect(line.text == row.text)
        #expect(line.cursor == row.cursor)
    }

    @Test func `bytes that are not UTF-8 are ignored`() {
        var (line, parser) = (EditedLine(), TerminalKeyParser())
        for byte: UInt8 in [0x61, 0xFF, 0x62, 0xE2, 0x28, 0xC2, 0x80, 0xC3, 0xA9] {
            if let key = parser.take(byte) { _ = line.apply(key) }
        }
        #expect(line.text == "ab(\u{E9}")
    }

    @Test func `Ctrl-D ends the input at an empty line only`() {
        var line = EditedLine()
        #expect(line.apply(.deleteForwardOrEnd) == .endOfInput)
        #expect(line.apply(.character("a")) == .edited)
        #expect(line.apply(.deleteForwardOrEnd) == .ignored)
        #expect(line.apply(.enter) == .finished)
    }

    @Test func `a narrow terminal shows the part of a line around the cursor`() {
        var line = EditedLine()
        for scalar in "abcdefgh".unicodeScalars { _ = line.apply(.character(scalar)) }
        #expect(line.visible(in: 20) == ("abcdefgh", 8))
        #expect(line.visible(in: 4) == ("fgh", 3))
        _ = line.apply(.lineStart)
        #expect(line.visible(in: 4) == ("abcd", 0))
        #expect(line.visible(in: -1) == ("a", 0))
    }

    @Test func `a wide character takes two columns`() {
        var line = EditedLine()
        for scalar in "ab鍵鍵鍵".unicodeScalars { _ = line.apply(.character(scalar)) }
        #expect(line.visible(in: 20) == ("ab鍵鍵鍵", 8))
        #expect(line.visible(in: 6) == ("鍵鍵", 4))
        _ = line.apply(.lineStart)
        #expect(line.visible(in: 5) == ("ab鍵", 0))
    }
}
