// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTool
import Testing

/// Invalid arguments of every verb, output that cannot be written, and more input than any file should have.
@Suite struct BadInputTests {
    static let verbs = Verb.table.flatMap(\.selectable)

    /// The verbs that accept any argument as an operand.
    private static let withoutOptions: Set = ["error", "help"]

    private func usage(_ words: String, in home: TemporaryHome, for verb: Verb) throws {
        let result = try home.shell("security \(words) < /dev/null")
        #expect(result.code == 2, "\(words): \(result.complaintsText)")
        #expect(result.output.isEmpty, "\(words)")
        #expect(result.complaintsText.contains("\nUsage: security "), "\(words)")
    }

    @Test(arguments: verbs.filter { !withoutOptions.contains($0.name) })
    func `an unknown option is answered with the usage`(verb: Verb) throws {
        let home = try TemporaryHome()
        try usage("\(verb.name) --nonsense", in: home, for: verb)
        try usage("\(verb.name) -Y", in: home, for: verb)
        #expect(!FileManager.default.fileExists(atPath: home.store))
    }

    @Test(arguments: verbs)
    func `an option without its value is answered with the usage`(verb: Verb) throws {
        let home = try TemporaryHome()
        // A password may be left out: it is prompted for.
        for option in verb.options where option.kind != .flag && !option.kind.isSecret {
            try usage("\(verb.name) --\(option.name)", in: home, for: verb)
            if let letter = option.letter { try usage("\(verb.name) -\(letter)", in: home, for: verb) }
        }
        #expect(!FileManager.default.fileExists(atPath: home.store))
    }

    @Test(arguments: verbs.filter { $0.operand?.limit == nil })
    func `an operand of a verb without operands is answered with the usage`(verb: Verb) throws {
        try usage("\(verb.name) operand", in: TemporaryHome(), for: verb)
    }

    @Test(arguments: verbs)
    func `an argument that is not UTF-8 is refused`(verb: Verb) throws {
        let home = try TemporaryHome()
        let result = try home.shell(#"security \#(verb.name) "$(printf 'a\377b')" < /dev/null"#)
        #expect(result.code == 2)
        #expect(result.output.isEmpty)
        #expect(result.complaintsText.hasPrefix("security: an argument is not UTF-8"))
        #expect(!FileManager.default.fileExists(atPath: home.store))
    }

    /// A command for each verb except `sync` and those in ``silent``, run in a keychain with an item of each class.
    ///
    /// Verbs that print only with `--json` are run with it.
    private static let printing: [String: String] = {
        let withJSON = JSONOutputTests.commands.mapValues { $0.replacing(" 2>/dev/null", with: "") }
        return withJSON.merging(printingByDefault.mapValues { "security \($0)" }) { $1 }
    }()

    /// The verbs that are not run here, for example because they print nothing, or need a daemon or root.
    private static let silent: Set = JSONOutputTests.elsewhere.union([
        "exit", "run", "copy", "ssh-agent", "set-key-partition-list", "codesign create-team", "codesign sign",
        "codesign rotate", "codesign install",
    ])

    @Test func `every verb that prints something is tested`() {
        let names = Self.verbs.filter { $0.subcommands.isEmpty }.map(\.name).filter { !$0.hasPrefix("sync ") }
        #expect(Set(names) == Set(Self.printing.keys).union(Self.silent))
        #expect(Self.silent.isDisjoint(with: Self.printing.keys))
    }

    private static let printingByDefault: [String: String] = [
        "help": "help", "list-keychains": "list-keychains", "default-keychain": "default-keychain",
        "login-keychain": "login-keychain", "show-keychain-info": "show-keychain-info",
        "dump-keychain": "dump-keychain -d",
        "find-generic-password": "find-generic-password -s mail.example -w",
        "find-internet-password": "find-internet-password -s host.example", "find-key": "find-key",
        "find-certificate": "find-certificate -a -p", "find-identity": "find-identity",
        "verify-cert": "verify-cert -c certificate.pem -r certificate.pem", "export": "export -t allcerts",
        "import": "import other.pem", "error": "error 44", "get": "get mail.example/alice",
        "list": "list --all", "doctor": "doctor", "otp": "otp code.example/me", "verify": "verify",
        "backup": "backup file -P canary", "restore": "restore file --on-conflict skip -P canary",
        "repair": "repair", "rotate-keys": "rotate-keys",
        "import-passwords": "import-passwords --from netrc netrc", "export-passwords": "export-passwords -",
        "git-credential": "git-credential get < git", "docker-credential": "docker-credential list",
        "cargo-credential": "cargo-credential < /dev/null", "aws-credential": "aws-credential mail.example",
        "netrc": "netrc host.example", "exit-codes": "exit-codes",
        "askpass": "askpass \"me@host.example's password: \"",
        "codesign verify": "codesign verify --teams . program",
        "codesign display": "codesign display --teams . program",
    ]

    private static let preparation = """
        \(JSONOutputTests.preparation)
        printf 'protocol=https\\nhost=host.example\\n\\n' > git
        security add-internet-password -s host.example -a me -r htps -w canary
        security add-internet-password -s host.example -a me -r ssh -w canary
        """

    /// The command without its progress on standard error.
    private static func quiet(_ command: String) -> String {
        command.replacing("security ", with: "security -q ")
    }

    @Test(arguments: [("> /dev/full", "No space left on device"), (">&-", "Bad file descriptor")])
    func `every verb reports that its output cannot be written`(redirection: String, error: String) throws {
        let home = try TemporaryHome()
        try home.run(Self.preparation)
        for (verb, command) in Self.printing.sorted(by: { $0.key < $1.key }) {
            let result = try home.shell("cd; \(Self.quiet(command)) \(redirection)")
            #expect(result.code == 1, "\(verb)")
            #expect(result.output.isEmpty, "\(verb)")
            #expect(
                result.complaintsText.hasSuffix("security: standard output: \(error)\n"),
                "\(verb): \(result.complaintsText)"
            )
        }
        #expect(try home.security("verify").code == 0)
    }

    @Test func `a closed pipe ends every verb as it ends other programs`() throws {
        let home = try TemporaryHome()
        try home.run(Self.preparation)
        // Descriptor 4 is a pipe whose only reader has ended.
        let pipe = "rm -f pipe; mkfifo pipe; sh -c : < pipe & exec 4> pipe; wait"
        for (verb, command) in Self.printing.sorted(by: { $0.key < $1.key }) {
            let result = try home.shell("cd; \(pipe); \(Self.quiet(command)) >&4")
            #expect(result.code == 128 + SIGPIPE, "\(verb)")
        }
        #expect(try home.security("verify").code == 0)
    }

    @Test func `no file receives the output of closed descriptors`() throws {
        let home = try TemporaryHome()
        try home.run("cd; printf canary | security set service/me")
        let closed = "<&- >&- 2>&-"
        #expect(try home.shell("cd; security backup file -P canary \(closed)").code == 1)
        try home.run("cd; security restore file --dry-run --on-conflict skip -P canary")
        #expect(try home.shell("KEYCHAIN_HOME=$HOME/new security set a/b --generate \(closed)").code == 0)
        try home.run("KEYCHAIN_HOME=$HOME/new security verify")
    }

    /// Commands that read standard input, with their exit codes if the input has 100 MB without a newline.
    static let readers: [(command: String, code: Int32)] = [
        ("import -", 1), ("add-certificates -", 1), ("import-passwords --from chrome -", 1),
        ("import-passwords --from bitwarden -", 1), ("import-passwords --from netrc -", 1),
        ("import-passwords --from macos -", 1), ("import-passwords --from docker -", 1),
        ("import-passwords --from keepass -", 1), ("restore -", 1), ("-i", 1), ("-p '> '", 1),
        ("git-credential store", 1), ("git-credential get", 1), ("docker-credential store", 1),
        ("docker-credential get", 1), ("docker-credential erase", 1), ("cargo-credential", 1),
        ("unlock-keychain", 50), ("verify-cert -c -", 1),
    ]

    @Test(arguments: readers)
    func `100 MB on standard input are refused`(row: (command: String, code: Int32)) throws {
        let home = try TemporaryHome()
        let result = try home.shell("head -c 100000000 /dev/zero | security \(row.command)")
        #expect(result.code == row.code, "\(result.complaintsText)")
        // The helpers for Docker and cargo write errors to standard output, and cargo's first its protocol version.
        #expect(result.output.count < 100)
        #expect(result.complaints.count < 300)
        #expect(try home.security("dump-keychain").output.isEmpty)
    }

    @Test func `a password of 100 MB is stored completely`() throws {
        let home = try TemporaryHome()
        try home.run("head -c 100000000 /dev/zero | security set service/me")
        let sum = "sha256sum | cut -c 1-64"
        let sums = try home.shell(
            "head -c 100000000 /dev/zero | \(sum); security get --raw service/me | \(sum)"
        )
        let lines = sums.outputText.split(separator: "\n")
        #expect(lines.count == 2 && lines[0] == lines[1])
    }
}
