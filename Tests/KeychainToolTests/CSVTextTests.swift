// SPDX-License-Identifier: Apache-2.0

import KeychainTool
import Testing

@Suite struct CSVTextTests {
    @Test(
        arguments: [
            ("a,b\nc,d\n", [["a", "b"], ["c", "d"]]), ("a,b\r\nc,d", [["a", "b"], ["c", "d"]]),
            ("\"a,\"\"b\"\"\",\"c\nd\"\n", [["a,\"b\"", "c\nd"]]), ("a,,\n", [["a", "", ""]]), ("", []),
            ("\n\na\n\n", [["a"]]), ("\u{FEFF}a\n", [["a"]]), (",\n", [["", ""]]),
        ] as [(String, [[String]])]
    )
    func `CSV text is split into rows and fields`(text: String, rows: [[String]]) throws {
        #expect(try #require(CSVText.rows(Array(text.utf8))).map(\.fields) == rows)
    }

    @Test func `a row has the number of its first line`() throws {
        let rows = try #require(CSVText.rows(Array("a\n\"b\nc\"\n\nd\n".utf8)))
        #expect(rows.map(\.line) == [1, 2, 5])
    }

    @Test(arguments: [Array("\"a".utf8), Array("a,\"b\n".utf8), [0xff]])
    func `an unfinished quotation and bytes that are not UTF-8 are refused`(bytes: [UInt8]) {
        #expect(CSVText.rows(bytes) == nil)
    }

    @Test(arguments: [["a", "b"], ["a,b", "c\"d", "e\nf", ""], ["\r", " ", "é"], ["a\"\u{301}b"]])
    func `a written line is read again`(fields: [String]) throws {
        let rows = try #require(CSVText.rows(Array(CSVText.line(fields).utf8)))
        #expect(rows.map(\.fields) == [fields])
    }

    @Test(
        arguments: [
            ("https://user@Example.com:8443/a/b?c#d", "htps", "example.com", 8443, "/a/b"),
            ("http://example.com/", "http", "example.com", 0, ""),
            ("ssh://[::1]/x", "ssh ", "[::1]", 0, "/x"),
        ] as [(String, String, String, Int64, String)]
    )
    func `a URL is parsed`(url: String, code: String, host: String, port: Int64, path: String) throws {
        let target = try #require(URLTarget(url))
        #expect(target.code == code && target.host == host && target.port == port && target.path == path)
    }

    @Test(arguments: [
        "", "example.com", "android://app", "https://", "https://host:port", "https://host:99999/",
    ])
    func `a string without a known scheme is not a URL`(url: String) {
        #expect(URLTarget(url) == nil)
    }
}
