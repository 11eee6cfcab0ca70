// SPDX-License-Identifier: Apache-2.0

import KeychainTestSupport
import Testing

/// Commands that ask for confirmation or a passcode on a terminal before they delete or read.
@Suite struct TerminalDialogTests {
    private let terminal: Terminal
    private let home: TemporaryHome

    init() throws {
        terminal = try Terminal()
        home = try TemporaryHome()
        #expect(
            try home.security("add-generic-password", "-a", "me", "-s", "service", "-w", "kept").code == 0
        )
    }

    @Test func `a keychain is deleted after the user has typed the word`() throws {
        let process = try terminal.start(["delete-keychain"], in: home)
        try terminal.wait(
            for: "\(home.store): this deletes every item of every program, 1 in all, and cannot be undone."
        )
        try terminal.wait(for: "Type delete to continue: ")
        terminal.type("delete\n")
        #expect(try process.wait() == 0)
        #expect(try home.security("find-generic-password", "-s", "service").code == 44)
    }

    @Test(arguments: ["\n", "y\n", "yes\n", "Delete\n", "delete \n", "delete-keychain\n", "\u{4}", "\u{3}"])
    func `any other answer keeps the keychain`(answer: String) throws {
        let process = try terminal.start(["delete-keychain", "login.keychain"], in: home)
        try terminal.wait(for: "Type delete to continue: ")
        terminal.type(answer)
        #expect(try process.wait() == (answer == "\u{3}" ? 128 + 2 : 1))
        #expect(try home.security("find-generic-password", "-s", "service", "-w").outputText == "kept\n")
    }

    @Test(arguments: [("yes\n", true), ("y\n", false), ("\n", false), ("\u{4}", false)])
    func `private keys are printed on a terminal after confirmation`(answer: String, isShown: Bool) throws {
        #expect(try home.security("create-keypair", "-a", "ec", "pair").code == 0)
        let process = try terminal.start(["export", "-t", "privKeys"], in: home)
        try terminal.wait(for: "Type yes to continue: ")
        terminal.type(answer)
        if isShown { try terminal.wait(for: " PRIVATE KEY-----") }
        #expect(try process.wait() == (isShown ? 0 : 1))
        terminal.drain()
        #expect(terminal.transcript.contains(" PRIVATE KEY-----") == isShown)
        // Exporting public keys asks nothing, because they are not secret.
        #expect(try terminal.start(["export", "-t", "pubKeys"], in: home).wait() == 0)
    }

    @Test(RealPinentry.areAvailable, arguments: RealPinentry.allCases)
    func `entering the passcode opens an item with an access control`(program: RealPinentry) throws {
        defer { _ = try? home.security("set-keychain-password", "-o", "canary", "--remove") }
        #expect(try home.security("set-keychain-password", "-p", "canary").code == 0)
        let add = "security add-generic-password -a me -s asked -w secret --access-control user-presence"
        #expect(try home.shell(add).code == 0)
        var environment = home.environment
        environment["KEYCHAIN_PINENTRY"] = program.rawValue
        environment["TERM"] = "xterm"
        let process = try terminal.start(["find-generic-password", "-s", "asked", "-w"], in: environment)
        try terminal.wait(for: "Passcode:")
        #expect(terminal.transcript.contains("security"))
        terminal.type("canary\r")
        #expect(try process.wait() == 0)
        terminal.drain()
        #expect(terminal.transcript.contains("secret\n"))
        #expect(!terminal.transcript.contains("canary"))
        #expect(terminal.echoes)
        // Without a terminal, the same command fails without waiting.
        #expect(try home.security("find-generic-password", "-s", "asked", "-w").code == 36)
    }
}
