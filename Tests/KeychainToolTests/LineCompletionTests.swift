// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainTestSupport
import KeychainTool
import Testing

@Suite struct LineCompletionTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let line: String
        /// The line after the completion; `nil` if nothing completes the word.
        let completed: String?
        var testDescription: String { line }
    }

    private static func words(_ kind: CompletionKind) -> [String] {
        switch kind {
        case .words(let words): words
        case .keychain: ["login", "build", "it's"]
        case .item: ["mail.example/alice", "mail.example/bob", "my bank/carol", "\"q\"/x", "\u{1}/x"]
        case .file(let path): [path + "file", path + "folder/"]
        }
    }

    static let rows: [Row] = [
        Row(line: "unl", completed: "unlock-keychain "),
        Row(line: "find-g", completed: "find-generic-password "),
        Row(line: "find-", completed: "find-"),
        Row(line: "xyz", completed: nil),
        Row(line: "help exit-", completed: "help exit-codes "),
        Row(line: "get --ra", completed: "get --raw "),
        Row(line: "find-generic-password -w --acco", completed: "find-generic-password -w --account "),
        Row(line: "lock-keychain bu", completed: "lock-keychain build "),
        Row(line: "lock-keychain 'it", completed: "lock-keychain 'it\\'s' "),
        Row(line: "get -k bu", completed: "get -k build "),
        Row(line: "get --keychain bu", completed: "get --keychain build "),
        Row(line: "get mail.example/a", completed: "get mail.example/alice "),
        Row(line: "get mai", completed: "get mail.example/"),
        Row(line: "get my", completed: "get my\\ bank/carol "),
        Row(line: "get my\\ b", completed: "get my\\ bank/carol "),
        Row(line: "get \"my b", completed: "get \"my bank/carol\" "),
        Row(line: "get \\\"", completed: "get \\\"q\"/x "),
        Row(line: "list m", completed: "list m"),
        Row(line: "add-generic-password -w ma", completed: nil),
        Row(line: "unlock-keychain -p lo", completed: nil),
        Row(line: "team tr", completed: "team trust "),
        Row(line: "import-passwords --from ke", completed: "import-passwords --from keepass "),
        Row(line: "export -f pkcs1", completed: "export -f pkcs12 "),
    ]

    @Test(arguments: rows)
    func `the word before the cursor is completed`(row: Row) {
        let completion = LineCompletion(row.line, from: Self.words)
        let completed = completion.map { row.line.dropLast($0.replacedCount) + $0.replacement }
        #expect(completed.map { String($0) } == row.completed)
    }

    @Test func `commands, options, keychains, items and files are completed on a terminal`() throws {
        let home = try TemporaryHome()
        try home.run(
            """
            cd; for item in mail.example/alice mail.example/bob other/carol; do echo canary | security set $item; done
            security create-keychain build; mkdir folder; printf '%s\\n' '-----' > 'folder/a certificate.pem'
            """
        )
        let terminal = try Terminal()
        var environment = home.environment
        environment["TERM"] = "xterm"
        let process = try terminal.start(
            "/bin/sh",
            ["-c", "cd && exec security -i"],
            in: environment
        )
        try terminal.wait(for: "security> ")
        terminal.type("lis\t")
        try terminal.wait(for: "security> list")
        terminal.type("\u{15}get oth\t\r")
        // The editor is not active before the next prompt.
        try terminal.wait(for: "canary\n\rsecurity> ")
        terminal.type("get mail\t\t")
        try terminal.wait(for: "mail.example/alice  mail.example/bob\n")
        terminal.type("b\t\r")
        try terminal.wait(for: "canary\n\rsecurity> ", times: 2)
        terminal.type("show-keychain-info bu\t\r")
        try terminal.wait(for: "show-keychain-info build ")
        try terminal.wait(for: "level: embedded\n\rsecurity> ")
        terminal.type("import fol\t\t\r")
        try terminal.wait(for: "import folder/a\\ certificate.pem ")
        try terminal.wait(for: "returned -25257\n\rsecurity> ")
        terminal.type("xyz\t\u{15}exit\r")
        try terminal.wait(for: "\u{7}")
        // The low byte of −25257, the status of the last command.
        #expect(try process.wait() == 87)
    }

    @Test func `a locked keychain completes no item and asks for nothing`() throws {
        let home = try TemporaryHome()
        try home.run("echo canary | security set mail/alice; security set-keychain-password -p passcode")
        try home.run("security lock-keychain")
        let terminal = try Terminal()
        var environment = home.environment
        environment["TERM"] = "xterm"
        let process = try terminal.start(["-i"], in: environment)
        try terminal.wait(for: "security> ")
        terminal.type("get ma\t")
        try terminal.wait(for: "\u{7}")
        terminal.type("\u{15}exit\r")
        #expect(try process.wait() == 0)
        #expect(!terminal.transcript.contains("mail/"))
    }
}
