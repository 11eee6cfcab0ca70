// SPDX-License-Identifier: Apache-2.0

import KeychainTool
import Testing

@Suite struct ShellWordsTests {
    @Test(
        arguments: [
            ("", []),
            (" \t ", []),
            ("one two", ["one", "two"]),
            ("  one\t two\r", ["one", "two"]),
            ("'one two' three", ["one two", "three"]),
            (#""one 'two'" three"#, ["one 'two'", "three"]),
            (#"'' "" x"#, ["", "", "x"]),
            (#"a\ b \"c\" \\"#, ["a b", "\"c\"", "\\"]),
            (#""a\"b" 'it\'s'"#, ["a\"b", "it's"]),
            (#"'a'b"#, ["a", "b"]),
            (#"a"b c"#, ["a\"b", "c"]),
            (#"-w "p#ss" # no comment"#, ["-w", "p#ss", "#", "no", "comment"]),
            (#""open quotation"#, ["open quotation"]),
            (#"open\"#, ["open"]),
            ("\"\u{301}x\" y", ["\u{301}x", "y"]),
            ("é 'ü\u{0}'", ["é", "ü\u{0}"]),
        ] as [(String, [String])]
    )
    func `a line is split as on macOS`(line: String, words: [String]) {
        #expect(ShellWords.split(line).map { Array($0.utf8) } == words.map { Array($0.utf8) })
    }
}
