// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import KeychainTool
import Testing

@Suite struct JSONOutputTests {
    /// A command for each verb with the option `--json`, run in a keychain with an item of each class.
    ///
    /// The verbs in ``elsewhere`` and `sync` are left out.
    static let commands: [String: String] = [
        "list-keychains": "security list-keychains --json",
        "default-keychain": "security default-keychain --json",
        "login-keychain": "security login-keychain --json",
        "show-keychain-info": "security show-keychain-info --json",
        "dump-keychain": "security dump-keychain --json -d",
        "find-generic-password": "security find-generic-password -s mail.example --json -w",
        "find-internet-password": "security find-internet-password -s host.example --json",
        "find-key": "security find-key --json", "find-certificate": "security find-certificate -a --json",
        "find-identity": "security find-identity --json",
        "verify-cert": "security verify-cert -c certificate.pem -r certificate.pem --json",
        "import": "security import other.pem --json", "get": "security get mail.example/alice --json",
        "list": "security list --all --json", "doctor": "security doctor --json",
        "exit-codes": "security exit-codes --json", "otp": "security otp code.example/me --json",
        "verify": "security verify --json 2>/dev/null", "repair": "security repair --json 2>/dev/null",
        "backup": "printf canary | security backup file --json -P 2>/dev/null",
        "restore": "printf canary | security restore file --dry-run --on-conflict skip --json -P 2>/dev/null",
        "rotate-keys": "security rotate-keys --json 2>/dev/null",
        "import-passwords": "security import-passwords --from netrc netrc --json",
        "codesign verify": "security codesign verify --teams . program --json",
        "codesign display": "security codesign display --teams . program --json",
        "team list": "security team list --json",
        "error": "security error --json 44 -25300 errSecDuplicateItem",
        "create-keychain": "security create-keychain --json spare",
        "delete-keychain": "security create-keychain old && security delete-keychain --json old",
        "lock-keychain": "security lock-keychain --json locked",
        "unlock-keychain": "security unlock-keychain --json -p canary locked",
        "set-keychain-settings":
            "security unlock-keychain -p canary locked && security set-keychain-settings --json -t 300 locked",
        "set-keychain-password":
            "security create-keychain own && security set-keychain-password --json -p 'canary two' own",
        "create-keypair": "security create-keypair --json -a ec pair",
        "add-generic-password": "security add-generic-password --json -U -s new.example -a me -X 01",
        "add-internet-password": "security add-internet-password --json -U -s new.example -a me -X 01",
        "delete-generic-password":
            "security add-generic-password -U -s old.example -a me -X 01 && security delete-generic-password --json -s old.example",
        "delete-internet-password":
            "security add-internet-password -U -s old.example -a me -X 01 && security delete-internet-password --json -s old.example",
        "add-certificates":
            "security create-keychain one && security add-certificates --json -k one certificate.pem",
        "delete-certificate":
            "security create-keychain two && security add-certificates -k two certificate.pem && security delete-certificate --json -c me two",
        "delete-identity":
            "security create-keychain three && security import both.pem -k three >/dev/null && security delete-identity --json -c me three",
        "delete-key":
            "security create-keychain four && security import key.pem -k four >/dev/null && security delete-key --json -l 'Imported Private Key' four",
        "set": "printf canary | security set --json new.example/you",
        "edit": "security edit --json --comment text mail.example/alice",
        "rm": "printf canary | security set old.example/me && security rm --json old.example/me",
    ]

    /// The verbs that need a daemon, or a passcode of the login keychain; other tests run these, and `sync`.
    static let elsewhere: Set = [
        "daemon-status", "audit", "migrate-to-daemon", "codesign adopt", "team trust", "team remove",
        "team move",
    ]

    static let preparation = """
        cd
        printf canary | security set mail.example/alice
        printf 'otpauth://totp/me?secret=GEZDGNBVGY3TQOJQ' | security set code.example/me
        security add-internet-password -s host.example -a me -w canary
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=me -keyout key.pem \\
            -out certificate.pem 2>/dev/null
        cat key.pem certificate.pem > both.pem
        security import both.pem
        openssl genpkey -algorithm ed25519 -out other.pem
        printf 'machine other.example login me password canary\\n' > netrc
        printf canary > passcode
        security codesign create-team -n Example -o team.keys --passcode-fd 3 3<passcode
        cp "$(command -v sh)" program
        chmod 755 program
        security create-keychain -p canary locked
        security codesign sign -s team.keys -i org.example.program --passcode-fd 3 program 3<passcode
        """

    @Test func `every verb with the option is tested`() {
        let verbs = Verb.table.filter { $0.name != "sync" }.flatMap(\.selectable).filter {
            $0.options.contains { $0.name == "json" }
        }
        #expect(Set(verbs.map(\.name)) == Set(Self.commands.keys).union(Self.elsewhere))
    }

    /// The verbs without the option, and why.
    private static let withoutJSON: [String: String] = [
        "help": "formatted text", "exit": "no output", "run": "the output is another program's",
        "copy": "prints nothing but a note on a terminal", "ssh-agent": "prints SSH_AUTH_SOCK for a shell",
        "export": "writes a file, by default to standard output",
        "export-passwords": "writes a file; --to json",
        "git-credential": "git's format", "docker-credential": "Docker's JSON",
        "cargo-credential": "cargo's JSON",
        "aws-credential": "AWS's JSON", "netrc": "the format of netrc", "askpass": "OpenSSH reads a line",
        "set-key-partition-list": "no effect", "codesign create-team": "writes files",
        "codesign sign": "writes a file", "codesign rotate": "writes a file",
        "codesign install": "writes a file",
    ]

    @Test func `every verb has the option, or a reason not to`() {
        let verbs = Verb.table.flatMap(\.selectable).filter { $0.subcommands.isEmpty }
            .filter { !$0.options.contains { $0.name == "json" } }
        #expect(Set(verbs.map(\.name)) == Set(Self.withoutJSON.keys))
    }

    @Test func `the output is one line of JSON with the version of its schema`() throws {
        let home = try TemporaryHome()
        try home.run(Self.preparation)
        var verified: Set<String> = []
        // In alphabetical order, `backup` writes the file before `restore` reads it.
        for (verb, command) in Self.commands.sorted(by: { $0.key < $1.key }) {
            let result = try home.shell("cd; \(command)")
            let output = result.outputText
            #expect(output.hasSuffix("\n") && output.split(separator: "\n").count == 1, "\(verb): \(output)")
            #expect(result.complaintsText.isEmpty, "\(verb): \(result.complaintsText)")
            let value = try JSONSerialization.jsonObject(with: Data(result.output))
            let objects = value as? [[String: Any]] ?? [value as? [String: Any] ?? [:]]
            #expect(!objects.isEmpty, "\(verb)")
            for object in objects { #expect(object["schemaVersion"] as? Int == 1, "\(verb): \(output)") }
            guard let members = DocumentedMembers.table[verb] else { continue }
            let undocumented = Set(objects[0].keys).subtracting(members + ["schemaVersion"])
            #expect(undocumented.isEmpty, "\(verb)")
            verified.insert(verb)
        }
        #expect(
            verified
                == Set(DocumentedMembers.table.keys).subtracting(Self.elsewhere).subtracting([
                    "audit --verify"
                ])
        )
    }
}
