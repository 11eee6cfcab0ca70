// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTool
import Testing

@Suite struct OptionTableTests {
    /// What ArgumentParser describes, of its dump only what concerns options.
    private struct Dump: Decodable {
        struct Command: Decodable {
            var commandName: String
            var subcommands: [Command]?
            var arguments: [Argument]?
        }
        struct Argument: Decodable {
            struct Name: Decodable { var kind, name: String }
            var kind: String
            var names: [Name]?
            var abstract: String?
        }
        var command: Command
    }

    private static func described(_ command: Dump.Command) -> Set<String> {
        let options = (command.arguments ?? []).filter { $0.kind != "positional" }
        let lines = options.map { option in
            let names = (option.names ?? []).sorted { $0.name.count < $1.name.count }.map(\.name)
            return "\(names.joined(separator: " ")) \(option.kind)"
        }
        return Set(lines).subtracting(["h help flag", "version flag"])
    }

    private static func tabled(_ verbs: VerbSet) -> Set<String> {
        let rows = ToolOption.table.filter { !$0.verbs.isDisjoint(with: verbs) }
        return Set(
            rows.map {
                let names = ($0.letter.map { [String($0)] } ?? []) + [$0.name]
                return "\(names.joined(separator: " ")) \($0.kind == .flag ? "flag" : "option")"
            }
        )
    }

    @Test(arguments: Verb.allCases.filter { $0 != .help })
    func `help describes the options that are read`(verb: Verb) throws {
        let dump = try JSONDecoder().decode(Dump.self, from: Data(Descriptions.dump.utf8))
        let command = try #require(dump.command.subcommands?.first { $0.commandName == verb.rawValue })
        #expect(Self.described(command) == Self.tabled(VerbSet(verb)))
    }

    @Test(arguments: Verb.allCases)
    func `no letter and no name means two things to a verb`(verb: Verb) {
        let rows = ToolOption.table.filter { !$0.verbs.isDisjoint(with: VerbSet(verb)) }
        #expect(Set(rows.map(\.name)).count == rows.count)
        let letters = rows.compactMap(\.letter)
        #expect(Set(letters).count == letters.count)
        #expect(!letters.contains("h"))
    }

    @Test(arguments: ToolOption.table.indices)
    func `a row is complete`(index: Int) {
        let row = ToolOption.table[index]
        #expect(row.placeholder.isEmpty == (row.kind == .flag))
        #expect(!row.help.isEmpty && !row.verbs.isEmpty)
    }
}
