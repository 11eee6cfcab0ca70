// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTool
import Testing

@Suite struct JSONOutputTests {
    /// A command for each verb with the option `--json`, run in a keychain with an item of each class.
    private static let commands: [String: String] = [
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
    ]

    /// The verbs that need a daemon; another test target tests them, and the subcommands of `sync`.
    private static let elsewhere: Set = [
        "daemon-status", "audit", "migrate-to-daemon",
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
        security codesign sign -s team.keys -i org.example.program --passcode-fd 3 program 3<passcode
        """

    @Test func `every verb with the option is tested`() {
        let verbs = Verb.table.filter { $0.name != "sync" }.flatMap(\.selectable).filter {
            $0.options.contains { $0.name == "json" }
        }
        #expect(Set(verbs.map(\.name)) == Set(Self.commands.keys).union(Self.elsewhere))
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
            guard let members = Self.documented[verb] else { continue }
            let undocumented = Set(objects[0].keys).subtracting(members + ["schemaVersion"])
            #expect(undocumented.isEmpty, "\(verb)")
            verified.insert(verb)
        }
        #expect(verified == Set(Self.documented.keys))
    }

    /// The members of the objects that commands print, from the table in `CommandLine.md`.
    private static let documented: [String: [String]] = {
        let page = URL(filePath: #filePath).appending(path: "../../../Documentation/CommandLine.md")
        let text = (try? String(contentsOf: page.standardizedFileURL, encoding: .utf8)) ?? ""
        let table = text.components(separatedBy: "Other commands print one object").last ?? ""
        let lines = table.components(separatedBy: "\n\n").dropFirst().first?.split(separator: "\n") ?? []
        return Dictionary(
            lines.compactMap { line in
                let words = line.matches(of: /`([^`]+)`/).map { String($0.1) }
                return line.contains("and others") ? nil : words.first.map { ($0, Array(words.dropFirst())) }
            },
            uniquingKeysWith: { first, _ in first }
        )
    }()
}
