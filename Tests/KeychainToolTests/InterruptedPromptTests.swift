// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import KeychainTool
import Testing

/// Control-C at the prompts of all verbs except `sync` and those that call a daemon before they ask.
///
/// The echo is restored, and nothing is changed.
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
        Row(
            arguments: "set-keychain-password --remove -o canary-passcode",
            prompt: "Type remove to continue: ",
            hidesAnswer: false
        ),
        Row(arguments: "create-keychain new -p", prompt: "passcode for new keychain: "),
        Row(arguments: "unlock-keychain", prompt: "password to unlock "),
        Row(arguments: "rotate-keys", prompt: "passcode of "),
        Row(
            arguments: "find-generic-password -s service --application-password",
            prompt: "application password: "
        ),
        Row(
            arguments: "find-internet-password -s host --application-password",
            prompt: "application password: "
        ),
        Row(arguments: "dump-keychain -d --application-password", prompt: "application password: "),
        Row(arguments: "import encrypted.pem", prompt: "passphrase of the file: "),
        Row(arguments: "import openssh.pem", prompt: "passphrase of the file: "),
        Row(
            arguments: "import-passwords --from keepass passwords.kdbx",
            prompt: "password of the database: "
        ),
        Row(arguments: "export -t privKeys -f pkcs8 -w -o new", prompt: "passphrase of the file: "),
        Row(arguments: "export -t privKeys", prompt: "yes", hidesAnswer: false),
        Row(arguments: "backup new", prompt: "passphrase of the file: "),
        Row(arguments: "restore old.backup --on-conflict skip", prompt: "passphrase of the file: "),
        Row(arguments: "delete-keychain", prompt: "Type delete to continue: ", hidesAnswer: false),
        Row(arguments: "codesign create-team -n Example -o new", prompt: "passcode for the team's keys: "),
        Row(
            arguments: "codesign sign -s team.keys -i org.example program",
            prompt: "passcode of the team's keys: "
        ),
        Row(arguments: "codesign rotate -s team.keys", prompt: "passcode of the team's keys: "),
        Row(arguments: "team trust *.team", prompt: "passcode of the keychain: "),
        Row(arguments: "team remove $(basename *.team .team)", prompt: "passcode of the keychain: "),
        Row(
            arguments: "cargo-credential < login.json",
            prompt: "token for sparse+https://registry.example/: "
        ),
    ]

    /// The verbs that never ask, or only through pinentry, the daemon's agent or another program.
    private static let withoutPrompt: Set = [
        "help", "list-keychains", "default-keychain", "login-keychain", "lock-keychain",
        "set-keychain-settings",
        "set-key-partition-list", "show-keychain-info", "create-keypair", "add-certificates",
        "delete-generic-password", "delete-internet-password", "find-key", "find-certificate",
        "find-identity",
        "verify-cert", "delete-certificate", "delete-identity", "delete-key", "error", "get", "rm", "list",
        "run",
        "doctor", "copy", "otp", "verify", "repair", "export-passwords", "git-credential",
        "docker-credential",
        "aws-credential", "netrc", "askpass", "ssh-agent", "exit", "exit-codes", "codesign verify",
        "codesign display", "codesign install", "team list", "daemon-status", "audit",
    ]

    /// The verbs that call a daemon before they ask.
    private static let withDaemon: Set = ["codesign adopt", "team move", "migrate-to-daemon"]

    @Test func `every verb that asks is tested`() {
        let verbs = Set(BadInputTests.verbs.filter(\.subcommands.isEmpty).map(\.name))
            .filter { !$0.hasPrefix("sync ") && $0 != "sync" }
        let tested = verbs.filter { verb in Self.rows.contains { "\($0.arguments) ".hasPrefix("\(verb) ") } }
        #expect(tested.isDisjoint(with: Self.withoutPrompt.union(Self.withDaemon)))
        #expect(tested.union(Self.withoutPrompt).union(Self.withDaemon) == verbs)
    }

    private static let preparation = """
        cd
        printf canary | security set service/me
        openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem
        openssl pkcs8 -topk8 -in key.pem -passout pass:canary -out encrypted.pem
        security import key.pem
        printf canary | security -q backup old.backup -P
        security add-internet-password -s host -a me -w canary
        ssh-keygen -q -t ed25519 -N canary -f openssh.pem
        printf x > passwords.kdbx
        printf 'canary-team' > passcode
        security codesign create-team -n Example -o team.keys --passcode-fd 3 3< passcode
        cp /bin/true program
        printf '%s\\n' '{"v":1,"kind":"login","registry":{"index-url":"sparse+https://registry.example/"},"args":[]}' > login.json
        security set-keychain-password -p canary-passcode
        security add-generic-password -s protected -a me --accessible akpu -w canary
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
        #expect(
            try home.shell("cd; ls -d new new.team new.keychain program.signature .security-*").output.isEmpty
        )
        #expect(try home.security("unlock-keychain", "-p", "canary-passcode").code == 0)
    }
}
