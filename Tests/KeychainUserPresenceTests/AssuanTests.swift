// SPDX-License-Identifier: Apache-2.0

import KeychainUserPresence
import Testing

@Suite struct AssuanTests {
    struct Row: Sendable {
        let argument: String
        let line: String
    }

    @Test(arguments: [
        Row(argument: "", line: "SETDESC\n"),
        Row(argument: "plain text", line: "SETDESC plain text\n"),
        Row(argument: "100%", line: "SETDESC 100%25\n"),
        Row(argument: "two\nlines\r\n", line: "SETDESC two%0Alines%0D%0A\n"),
        Row(argument: "“ü”\u{7f}", line: "SETDESC “ü”%7F\n"),
        Row(argument: "x\nGETPIN", line: "SETDESC x%0AGETPIN\n"),
    ])
    func `an argument cannot contain a line break`(row: Row) {
        #expect(String(decoding: Assuan.line("SETDESC", row.argument), as: UTF8.self) == row.line)
    }

    @Test(arguments: [
        Row(argument: "a reason\r\nin two lines", line: "a reason\nin two lines"),
        Row(argument: "a\tb", line: "a b"),
        Row(argument: "gone\u{1B}[2J\u{1B}[H", line: "gone\u{FFFD}[2J\u{FFFD}[H"),
        Row(argument: "over\rwritten\u{8}\u{7}\0", line: "over\u{FFFD}written\u{FFFD}\u{FFFD}\u{FFFD}"),
        Row(argument: "c1 \u{9B}2J \u{85}", line: "c1 \u{FFFD}2J \u{FFFD}"),
        Row(argument: "\u{202E}turned\u{2066}\u{200F}", line: "\u{FFFD}turned\u{FFFD}\u{FFFD}"),
        Row(argument: "\u{2028}\u{2029}", line: "\u{FFFD}\u{FFFD}"),
        Row(argument: "👨‍👩‍👧‍👦 Prüfung", line: "👨‍👩‍👧‍👦 Prüfung"),
    ])
    func `control characters are not shown`(row: Row) {
        #expect(Assuan.sanitized(row.argument) == row.line)
    }

    @Test(arguments: [
        Row(argument: "", line: ""), Row(argument: "ASCII\nonly", line: "ASCII\nonly"),
        Row(argument: "“a” ‘b’ «c»", line: "\"a\" 'b' \"c\""), Row(argument: "Prüfung 👨‍👩‍👧‍👦", line: "Pr?fung ?"),
    ])
    func `text is transliterated to ASCII`(row: Row) {
        #expect(Assuan.ascii(row.argument) == row.line)
    }

    @Test(arguments: ["a", "%", "ü", "\n", "👨‍👩‍👧‍👦"])
    func `a long argument is truncated between characters`(character: Character) {
        let line = Assuan.line("SETDESC", String(repeating: character, count: 5_000))
        #expect(line.count <= Assuan.maximumLineLength + 1)
        #expect(line.count > Assuan.maximumLineLength - 40)
        #expect(String(validating: line, as: UTF8.self) != nil)
        #expect(line.last == UInt8(ascii: "\n"))
    }

    struct Escaped: Sendable {
        let text: String
        let bytes: [UInt8]?
    }

    @Test(arguments: [
        Escaped(text: "", bytes: []), Escaped(text: "abc", bytes: [97, 98, 99]),
        Escaped(text: "%25%0a%0D%00", bytes: [37, 10, 13, 0]), Escaped(text: "%fF", bytes: [255]),
        Escaped(text: "%", bytes: nil), Escaped(text: "a%2", bytes: nil), Escaped(text: "%zz", bytes: nil),
    ])
    func `escaped bytes of the pinentry protocol are decoded`(row: Escaped) {
        var bytes = Array(row.text.utf8)
        let count = bytes.withUnsafeMutableBytes { Assuan.unescape($0) }
        #expect(count.map { Array(bytes.prefix($0)) } == row.bytes)
    }
}
