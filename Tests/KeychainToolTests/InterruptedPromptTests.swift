// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// Control-C at the prompt of every verb that has one: the echo is restored, and nothing is changed.
@Suite struct InterruptedPromptTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let arguments: String
        let prompt: String
        /// Whether the answer is not echoed.
        var hidesAnswer = true

        var testDescription: String { arguments }
    }

    static let rows: [Row] = [
        Row(arguments: "add-generic-password -s new -a me -w", prompt: "password data for new item: "),
        Row(arguments: "add-internet-password -s new -a me -w", prompt: "password data for new item: "),
        Row(
            arguments:
                "add-generic-password -s new -a me -w x --access-control application-password --application-password",
            prompt: "application password for new item: "
        ),
        Row(arguments: "set new/me", prompt: "password data for new item: "),
        Row(arguments: "edit service/me --password", prompt: "password"),
        Row(arguments: "set-keychain-password", prompt: "Old Password: "),
        Row(arguments: "set-keychain-password --remove", prompt: "Old Password: "),
        Row(arguments: "unlock-keychain", prompt: "password to unlock "),
        Row(arguments: "rotate-keys", prompt: "passcode of "),
        Row(arguments: "import encrypted.pem", prompt: "passphrase of the file: "),
        Row(arguments: "export -t privKeys -f pkcs8 -w -o new", prompt: "passphrase of the file: "),
        Row(arguments: "export -t privKeys", prompt: "yes", hidesAnswer: false),
        Row(arguments: "backup new", prompt: "passphrase of the file: "),
        Row(arguments: "restore old.backup --on-conflict skip", prompt: "passphrase of the file: "),
        Row(arguments: "delete-keychain", prompt: "Type delete to continue: ", hidesAnswer: false),
        Row(arguments: "codesign create-team -n Example -o new", prompt: "passcode"),
    ]

    private static let preparation = """
        cd
        printf canary | security set service/me
        openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem
        openssl pkcs8 -topk8 -in key.pem -passout pass:canary -out encrypted.pem
        security import key.pem
        printf canary | security -q backup old.backup -P
        security set-keychain-password -p canary-passcode
        """

    @Test func `an interrupted prompt restores the echo and changes nothing`() throws {
        let home = try TemporaryHome()
        try home.run(Self.preparation)
        let items = try home.security("dump-keychain", "-d").output
        for row in Self.rows {
            let terminal = try Terminal()
            let line = "cd; exec security \(row.arguments)"
            let process = try terminal.start("/bin/sh", ["-c", line], in: home.environment)
            try terminal.wait(for: row.prompt)
            #expect(terminal.echoes != row.hidesAnswer, "\(row)")
            terminal.type("half of it\u{3}")
            #expect(try process.wait() == 128 + SIGINT, "\(row)")
            terminal.drain()
            #expect(terminal.echoes, "\(row)")
            #expect(!terminal.transcript.contains("half") || !row.hidesAnswer, "\(row)")
        }
        #expect(try home.security("dump-keychain", "-d").output == items)
        #expect(try home.shell("cd; ls new new.team .security-*").output.isEmpty)
        #expect(try home.security("unlock-keychain", "-p", "canary-passcode").code == 0)
    }
}
