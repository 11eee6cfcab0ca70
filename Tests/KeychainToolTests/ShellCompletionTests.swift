// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Completions that zsh and fish offer for a typed line, with the scripts that the command generates.
@Suite struct ShellCompletionTests {
    /// Typed lines, with a word that a shell offers or does not offer.
    static let lines = [
        ("security ", "add-generic-password", true), ("security find-i", "find-internet-password", true),
        ("security find-generic-password --", "--account", true),
        ("security find-generic-password --", "--server", false),
        ("security -p ask find-internet-password --s", "--server", true),
        ("security add-generic-password -s ", "--account", false),
        ("security help lock", "lock-keychain", true),
        ("security import-passwords --from ke", "keepass", true),
        ("security import-passwords --from ", "--json", false), ("security export -f pem", "pemseq", true),
        ("security add-generic-password --accessible akp", "akpu", true),
        ("security codesign ver", "verify", true), ("security codesign sign --ide", "--identifier", true),
    ]

    /// Types a line in an interactive zsh on a pseudo-terminal, and prints the listed completions.
    ///
    /// The control characters, Ctrl-X and Ctrl-G, also work if they arrive before the line editor of zsh is active.
    private static let zsh = #"""
        zmodload zsh/zpty
        zpty shell zsh -f -i
        zpty -w shell "PROMPT=; stty rows 400 cols 200; LISTMAX=10000; unsetopt always_last_prompt
        bindkey '^X' list-choices '^G' kill-whole-line; autoload -Uz compinit; compinit -u -D
        eval \"\$(security --generate-completion-script zsh)\"; print REA''DY"
        zpty -r -m shell output '*READY*'
        zpty -w -n shell "$1"$'\C-x'
        zpty -w -n shell $'\C-g'"print EN''D"$'\n'
        zpty -r -m shell output '*END*'
        print -r -- $output
        """#

    private static func offered(_ shell: String, _ line: String) throws -> Set<Substring> {
        let home = try TemporaryHome()
        try #require(try home.shell("command -v \(shell)").code == 0, "Scripts/test installs \(shell)")
        if shell == "zsh" {
            try Data(zsh.utf8).write(to: URL(filePath: home.directory + "/program"))
        }
        let result = try home.shell(
            shell == "zsh"
                ? "cd; TERM=xterm zsh -f program '\(line)'"
                : "fish --no-config -c 'security --generate-completion-script fish | source; complete -C \"\(line)\"'"
        )
        #expect(result.code == 0, "\(result.complaintsText)")
        // The first word of a line is the offered word; zsh surrounds it with escape sequences.
        let plain = result.outputText.replacing(#/\x1B\[[0-9?]*[A-Za-z]/#, with: "")
        return Set(
            plain.split { $0.isNewline || $0 == "\r" }.compactMap { $0.split { " \t".contains($0) }.first }
        )
    }

    @Test(arguments: lines) func `zsh completes verbs and the options of a verb`(
        line: String,
        word: String,
        isOffered: Bool
    ) throws {
        #expect(try Self.offered("zsh", line).contains(Substring(word)) == isOffered)
    }

    @Test(arguments: lines) func `bash completes verbs and the options of a verb`(
        line: String,
        word: String,
        isOffered: Bool
    ) throws {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).joined(separator: "' '")
        let program = """
            eval "$(security --generate-completion-script bash)"
            COMP_WORDS=('\(words)') COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _security; printf '%s\\n' "${COMPREPLY[@]}"
            """
        let home = try TemporaryHome()
        try Data(program.utf8).write(to: URL(filePath: home.directory + "/program"))
        let result = try home.shell("bash ~/program")
        #expect(result.complaintsText.isEmpty)
        #expect(result.outputText.split(separator: "\n").contains(Substring(word)) == isOffered)
    }

    @Test(arguments: lines) func `fish completes verbs and the options of a verb`(
        line: String,
        word: String,
        isOffered: Bool
    ) throws {
        #expect(try Self.offered("fish", line).contains(Substring(word)) == isOffered)
    }
}
