// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTool
import Testing

@Suite struct OptionTableTests {
    @Test(arguments: Verb.table.flatMap(\.selectable))
    func `a letter or name selects one option of a verb`(verb: Verb) {
        #expect(Set(verb.options.map(\.name)).count == verb.options.count)
        let letters = verb.options.compactMap(\.letter)
        #expect(Set(letters).count == letters.count)
        #expect(!letters.contains("h"))
    }

    @Test(arguments: Verb.table.flatMap(\.selectable))
    func `every row has a help text, and a placeholder unless it is a flag`(verb: Verb) {
        #expect(!verb.summary.isEmpty)
        for option in verb.options {
            #expect(option.placeholder.isEmpty == (option.kind == .flag))
            #expect(!option.help.isEmpty)
        }
    }

    @Test func `no two verbs have the same name`() {
        #expect(Set(Verb.table.map(\.name)).count == Verb.table.count)
    }

    @Test(arguments: Verb.table.flatMap(\.selectable).filter { $0.name != "help" })
    func `help lists every option and the operand of a verb`(verb: Verb) throws {
        let text = try TemporaryHome().shell("security help \(verb.name)").outputText
        #expect(text.hasPrefix("OVERVIEW: "))
        let lines = text.split(separator: "\n")
        for option in verb.options {
            let names = (option.letter.map { "-\($0), " } ?? "") + "--\(option.name)"
            let label = option.kind == .flag ? names : "\(names) <\(option.placeholder)>"
            #expect(lines.contains { $0.hasPrefix("  \(label)") })
        }
        if let operand = verb.operand { #expect(lines.contains { $0.hasPrefix("  <\(operand.name)>") }) }
        // Only the usage line may be longer than 80 characters.
        #expect(lines.allSatisfy { $0.count <= 80 || $0.hasPrefix("USAGE: ") })
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `a completion script names every verb and option`(shell: String) throws {
        let script = try #require(CompletionScript.script(for: shell))
        for verb in Verb.table.flatMap(\.selectable) {
            for word in verb.name.split(separator: " ") { #expect(script.contains(word)) }
            for option in verb.options { #expect(script.contains(option.name)) }
        }
        let result = try TemporaryHome().security("--generate-completion-script", shell)
        #expect(result.outputText == script)
    }

    @Test(arguments: ShellCompletionTests.lines)
    func `bash completes verbs and the options of a verb`(line: String, word: String, isOffered: Bool) throws
    {
        let program = """
            eval "$(security --generate-completion-script bash)"
            read -ra COMP_WORDS <<<'\(line)'
            case '\(line)' in *' ') COMP_WORDS+=('') ;; esac
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _security
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let home = try TemporaryHome()
        try Data(program.utf8).write(to: URL(filePath: home.directory + "/program"))
        let result = try home.shell("bash \(home.directory)/program")
        #expect(result.complaintsText.isEmpty)
        #expect(result.outputText.split(separator: "\n").contains(Substring(word)) == isOffered)
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `each shell can parse its completion script`(shell: String) throws {
        let home = try TemporaryHome()
        let isInstalled = try home.shell("command -v \(shell)").code == 0
        try #require(isInstalled, "Scripts/test installs \(shell)")
        let result = try home.shell("security --generate-completion-script \(shell) | \(shell) -n")
        #expect(result.code == 0)
        #expect(result.complaintsText.isEmpty)
    }
}
