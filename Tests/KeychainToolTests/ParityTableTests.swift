// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTool
import Testing

/// The table of macOS's verbs and flags in `CommandLine.md`, compared with the option table of the program.
@Suite struct ParityTableTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let verbs: [String]
        let kept: String
        let differs: String
        let absent: String

        var testDescription: String { verbs.joined(separator: ", ") }

        /// Returns the letters of the flags in a table cell, which has code spans such as `-a -c` and `-d user`.
        static func letters(in cell: String) -> [Unicode.Scalar] {
            code(in: cell).flatMap { $0.split(separator: " ") }
                .filter { $0.hasPrefix("-") && $0.unicodeScalars.count == 2 }
                .compactMap(\.unicodeScalars.last)
        }

        static func code(in cell: String) -> [String] { cell.matches(of: /`([^`]+)`/).map { String($0.1) } }
    }

    private static let toolOptions = "options of the command"

    static let rows: [Row] = {
        let page = URL(filePath: #filePath).appending(path: "../../../Documentation/CommandLine.md")
        let text = (try? String(contentsOf: page.standardizedFileURL, encoding: .utf8)) ?? ""
        let table = text.components(separatedBy: "## Every verb of macOS\n").last ?? ""
        return table.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst().compactMap { line in
            let cells = line.components(separatedBy: "|").dropFirst().dropLast()
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 4 else { return nil }
            let verbs = cells[0] == toolOptions ? [toolOptions] : Row.code(in: cells[0])
            return Row(verbs: verbs, kept: cells[1], differs: cells[2], absent: cells[3])
        }
    }()

    static let verbRows = rows.filter { $0.verbs != [toolOptions] }

    private static func verb(_ name: String) -> Verb? { Verb.table.first { $0.name == name } }

    @Test func `the table has the verbs of macOS's manual page`() {
        #expect(Self.rows.count >= 40)
        #expect(Self.rows.flatMap(\.verbs).count == Set(Self.rows.flatMap(\.verbs)).count)
    }

    @Test func `every verb of the program is in the table or is marked as not on macOS`() {
        let listed = Set(Self.verbRows.flatMap(\.verbs))
        for verb in Verb.table {
            #expect(
                listed.contains(verb.name) != verb.summary.contains("(Not on macOS.)"),
                "\(verb.name)"
            )
        }
    }

    @Test(arguments: verbRows) func `a verb exists if the table says that it is kept`(row: Row) {
        for name in row.verbs {
            let verb = Self.verb(name)
            #expect((verb != nil) == !row.kept.isEmpty, "\(name)")
            for letter in Row.letters(in: row.kept + " " + row.differs) {
                #expect(
                    verb == nil || verb?.options.contains { $0.letter == letter } == true,
                    "\(name) -\(letter)"
                )
            }
        }
    }

    @Test(arguments: verbRows) func `the table has every flag of a verb`(row: Row) {
        let letters = Set(Row.letters(in: "\(row.kept) \(row.differs) \(row.absent)"))
        for name in row.verbs {
            for option in Self.verb(name)?.options ?? [] {
                guard let letter = option.letter else { continue }
                #expect(
                    letters.contains(letter) || option.help.contains("(Not on macOS.)"),
                    "\(name) -\(letter)"
                )
            }
        }
    }

    @Test(arguments: verbRows.filter { !$0.kept.isEmpty })
    func `a flag that the table calls absent is refused`(row: Row) throws {
        let home = try TemporaryHome()
        for name in row.verbs {
            for words in Row.code(in: row.absent) where words.hasPrefix("-") {
                for flag in words.contains(" ") || words.utf8.count > 2 ? [words] : [words, "\(words) x"] {
                    let result = try home.shell("security \(name) \(flag)")
                    #expect(result.code != 0 && result.output.isEmpty, "\(name) \(flag)")
                }
            }
        }
    }

    @Test func `the options before the verb are in the table`() throws {
        let row = try #require(Self.rows.first { $0.verbs == [Self.toolOptions] })
        let letters = Set(Row.letters(in: row.kept) + Row.letters(in: row.differs))
        #expect(letters == Set(Verb.toolOptions.compactMap(\.letter)).union(["h"]))
        for letter in Row.letters(in: row.absent) {
            #expect(try TemporaryHome().security("-\(letter)", "help").code == 2)
        }
    }
}
