// SPDX-License-Identifier: Apache-2.0

import KeychainTestSupport
import Testing

/// `security --no-prompt`, on a terminal on which the command would otherwise ask.
@Suite struct NoPromptTests {
    @Test(arguments: [
        ["set", "mail.example/alice"], ["add-generic-password", "-a", "me", "-s", "service", "-w"],
        ["set-keychain-password"], ["delete-keychain"], ["edit", "--editor", "kept.example/me"],
    ])
    func `a command that would ask on the terminal changes nothing`(arguments: [String]) throws {
        let home = try TemporaryHome()
        try home.run("printf canary | security set kept.example/me")
        let terminal = try Terminal()
        let process = try terminal.start(["--no-prompt"] + arguments, in: home)
        #expect(try process.wait() == 36)
        terminal.drain()
        #expect(terminal.transcript.contains("--no-prompt forbids asking the user"))
        #expect(try home.security("list").outputText == "kept.example/me\n")
    }

    @Test func `pinentry is not started`() throws {
        let home = try TemporaryHome()
        try home.run("security set-keychain-password -p canary-code")
        try home.run("security add-generic-password -s mail -a me --access-control user-presence -X 01")
        let terminal = try Terminal()
        let process = try terminal.start(["--no-prompt", "find-generic-password", "-ws", "mail"], in: home)
        #expect(try process.wait() == 36)
        try home.run("security lock-keychain")
    }
}
