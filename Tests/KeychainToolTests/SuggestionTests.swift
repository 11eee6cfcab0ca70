// SPDX-License-Identifier: Apache-2.0

import KeychainTool
import Testing

@Suite struct SuggestionTests {
    static let words: [(typed: String, expected: String?)] = [
        ("lst", "list"), ("gte", "get"), ("fnd-generic-password", "find-generic-password"),
        ("improt", "import"), ("add-generic-pasword", "add-generic-password"), ("x", nil),
        ("frobnicate", nil), ("veriffy", "verify"),
    ]

    @Test(arguments: words)
    func `the most similar command is suggested`(row: (typed: String, expected: String?)) {
        #expect(Suggestion.word(like: row.typed, in: Verb.table.map(\.name)) == row.expected)
    }

    @Test(arguments: [
        ("lst", "unknown command \"lst\"; did you mean list?"),
        ("list --jsn", "illegal option -- jsn; did you mean --json?"),
        ("frobnicate", "unknown command \"frobnicate\""),
    ])
    func `the error of a mistyped word names a similar one`(command: String, message: String) throws {
        let result = try TemporaryHome().shell("security \(command)")
        #expect(result.outputText == "")
        #expect(result.complaintsText.hasPrefix("security: \(message)\n"))
    }
}
