// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTool
import Testing

@Suite struct BlobTextTests {
    @Test(
        arguments: [
            ([], ""),
            (Array("plain".utf8), "\"plain\""),
            (Array("with \"quotes\"".utf8), "\"with \"quotes\"\""),
            (Array(#"a\b"#.utf8), #"0x615C62  "a\134b""#),
            (Array("20240101120000Z\0".utf8), #"0x32303234303130313132303030305A00  "20240101120000Z\000""#),
            (Array("é".utf8), "0xC3A9 "),
            (Array("né".utf8), #"0x6EC3A9  "n\303\251""#),
            ([0, 0x7f, 0xff], "0x007FFF "),
            (Array("a\nb".utf8), #"0x610A62  "a\012b""#),
        ] as [([UInt8], String)]
    )
    func `bytes are quoted as on macOS`(bytes: [UInt8], text: String) {
        #expect(BlobText.quoted(bytes) == text)
    }

    @Test(arguments: [
        ("J\u{FC}rgen \"J\"", "J\u{FC}rgen \"J\""), ("a\n  2) b", #"a\012  2) b"#),
        ("\u{1B}[2J", #"\033[2J"#),
        ("\u{202E}a\u{85}", #"\342\200\256a\302\205"#),
    ])
    func `line breaks and control characters of a label are escaped`(label: String, text: String) {
        #expect(BlobText.line(label) == text)
    }

    @Test(arguments: [
        (0, "0x00000000 "), (443, "0x000001BB "), (0x6161_706c, "\"aapl\""),
        (0x31, #"0x00000031  "\000\000\0001""#),
    ])
    func `numbers are quoted as their bytes`(number: UInt32, text: String) {
        #expect(BlobText.quoted(number: number) == text)
    }

    @Test(arguments: [
        ("", "\n"), ("text ~", "text ~\n"), ("a\nb", "610a62\n"), ("é", "c3a9\n"), ("\0", "00\n"),
    ])
    func `a password is a line of printable ASCII or hexadecimal digits`(password: String, line: String) {
        #expect(BlobText.passwordLine(Array(password.utf8)) == Array(line.utf8))
    }

    @Test(
        arguments: [("", []), ("00fF10", [0, 255, 16]), ("0", nil), ("0g", nil), ("é", nil), (" 00", nil)]
            as [(String, [UInt8]?)]
    )
    func `hexadecimal input must consist of pairs of digits`(digits: String, bytes: [UInt8]?) {
        #expect(BlobText.bytes(hexadecimal: digits) == bytes)
    }

    @Test func `bytes are unchanged after conversion to hexadecimal digits and back`() {
        let bytes = Array(UInt8.min...UInt8.max)
        let digits = String(decoding: BlobText.passwordLine(bytes).dropLast(), as: UTF8.self)
        #expect(BlobText.bytes(hexadecimal: digits) == bytes)
    }
}

@Suite struct CalendarTextTests {
    @Test(arguments: [
        (0, "19700101000000Z"), (-1, "19691231235959Z"), (951_782_400, "20000229000000Z"),
        (951_868_800, "20000301000000Z"), (978_307_200, "20010101000000Z"),
        (1_704_110_400, "20240101120000Z"),
        (1_709_164_800.9, "20240229000000Z"), (4_107_542_399, "21000228235959Z"),
        (4_107_542_400, "21000301000000Z"),
        (-62_135_596_800, "00010101000000Z"),
    ])
    func `a date is written in UTC`(seconds: Double, text: String) {
        #expect(CalendarText(secondsSince1970: seconds).compact == text)
    }

    @Test func `dates of four hundred years agree with Foundation`() {
        let formatter = ISO8601DateFormatter()
        for day in stride(from: -73_000, to: 73_000, by: 7) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 45_296)
            #expect(
                CalendarText(secondsSince1970: date.timeIntervalSince1970).extended
                    == formatter.string(from: date)
            )
        }
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan, .greatestFiniteMagnitude])
    func `dates out of range are clamped`(seconds: Double) {
        #expect(CalendarText(secondsSince1970: seconds).compact.hasSuffix("Z"))
    }
}

@Suite struct JSONTextTests {
    @Test func `written JSON can be parsed`() throws {
        let text = "quote \" backslash \\ newline \n tab \t NUL \0 é \u{1F511}"
        let json = JSONText.object([
            ("text", .string(text)), ("list", .array([.number(-1), .boolean(true)])),
        ])
        let object = try JSONSerialization.jsonObject(with: Data(json.text.utf8)) as? [String: Any]
        #expect(object?["text"] as? String == text)
        #expect(object?["list"] as? [Int] == [-1, 1])
    }

    @Test func `base64 is that of Foundation`() {
        for count in 1...64 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: 255 - $0 * 37) }
            let text = Data(bytes).base64EncodedString()
            #expect(JSONText.bytes(bytes).text == #"{"encoding":"base64","data":"\#(text)"}"#)
        }
    }

    @Test func `control characters are escaped, and all others are not`() {
        let text = JSONText.string("a\u{1B}b\u{7F}c\u{80}d\u{9B}e\u{A0}f\u{C2}g\u{1F511}").text
        #expect(text == #""a\u001bb\u007fc\u0080d\u009be"# + "\u{A0}f\u{C2}g\u{1F511}\"")
    }

    @Test(
        arguments: [
            ([], #"{"encoding":"utf-8","data":""}"#),
            (Array("a\n".utf8), #"{"encoding":"utf-8","data":"a\n"}"#),
            ([0xff, 0], #"{"encoding":"base64","data":"/wA="}"#),
        ] as [([UInt8], String)]
    )
    func `the JSON of bytes names their encoding`(bytes: [UInt8], text: String) {
        #expect(JSONText.bytes(bytes).text == text)
    }
}

@Suite struct DayTests {
    @Test(
        arguments: [
            (1970, 1, 1, "1970-01-01T00:00:00Z"), (2000, 2, 29, "2000-02-29T00:00:00Z"),
            (2024, 2, 29, "2024-02-29T00:00:00Z"), (2030, 12, 31, "2030-12-31T00:00:00Z"),
            (1, 1, 1, "0001-01-01T00:00:00Z"), (9_999, 12, 31, "9999-12-31T00:00:00Z"),
            (2023, 2, 29, nil), (1900, 2, 29, nil), (2024, 4, 31, nil), (2024, 13, 1, nil), (2024, 0, 1, nil),
            (0, 1, 1, nil), (10_000, 1, 1, nil), (2024, 1, 0, nil),
        ] as [(Int, Int, Int, String?)]
    )
    func `only days that exist in the calendar are accepted`(year: Int, month: Int, day: Int, text: String?) {
        let seconds = CalendarText.secondsSince1970(year: year, month: month, day: day)
        #expect(seconds.map { CalendarText(secondsSince1970: $0).extended } == text)
    }
}
