// SPDX-License-Identifier: Apache-2.0

import KeychainTool
import Testing

@Suite struct ArgumentScannerTests {
    /// Scans a command line for the subcommand `name` and returns what was found, as words.
    ///
    /// An option is `name=value`, a flag is `name`, a password to prompt for is `name?`; operands follow.
    private static func read(_ line: String, _ name: String) throws -> String {
        let verb = try #require(Verb.find(name))
        let scanned = try ArgumentScanner.scan(ShellWords.split(line)[...], of: verb)
        let options = scanned.occurrences.map { occurrence in
            guard let value = occurrence.value else {
                return occurrence.option.kind == .flag ? occurrence.option.name : occurrence.option.name + "?"
            }
            return "\(occurrence.option.name)=\(value)"
        }
        return (options + scanned.operands).joined(separator: " ")
    }

    @Test(arguments: [
        ("-a me -s service", "account=me service=service"),
        ("-ame -sservice", "account=me service=service"),
        ("-wa me", "password-only account=me"),
        ("-gs service", "show-password service=service"),
        ("-gwame", "show-password password-only account=me"),
        ("--account me --service=s", "account=me service=s"),
        ("--account=a=b", "account=a=b"),
        ("--service=", "service="),
        ("-s -a -a -s", "service=-a account=-s"),
        ("-s --", "service=--"),
        ("-s -- -- -g", "service=-- -g"),
        ("-a me login.keychain -g", "account=me show-password login.keychain"),
        ("-a me - -g", "account=me show-password -"),
        ("-s ''", "service="),
        ("-a ä -s é́", "account=ä service=é́"),
        ("-a\u{301}", "account=\u{301}"),
        ("", ""),
    ])
    func `options of find verbs are parsed as on macOS`(line: String, expected: String) throws {
        #expect(try Self.read(line, "find-generic-password") == expected)
    }

    @Test(arguments: [
        ("-a me -s s -w secret", "account=me service=s password=secret"),
        ("-a me -s s -wsecret", "account=me service=s password=secret"),
        ("-a me -s s -w", "account=me service=s password?"),
        ("-a me -s s -Uw", "account=me service=s update password?"),
        ("-a me -s s --password", "account=me service=s password?"),
        ("-a me -s s --password=", "account=me service=s password="),
        ("-w -U", "password=-U"),
        (
            "-p secret -T /bin/x -T /bin/y",
            "legacy-password=secret trusted-application=/bin/x trusted-application=/bin/y"
        ),
        ("-AU -X 00ff", "any-application update hexadecimal-password=00ff"),
    ])
    func `options of add verbs are parsed as on macOS`(line: String, expected: String) throws {
        #expect(try Self.read(line, "add-generic-password") == expected)
    }

    @Test(arguments: [
        ("-x", "illegal option -- x"),
        ("-gx", "illegal option -- x"),
        ("--nonsense=secret", "illegal option -- nonsense"),
        ("-a", "option requires an argument -- a"),
        ("-ga", "option requires an argument -- a"),
        ("--account", "option requires an argument -- account"),
        ("--json=yes", "option takes no argument -- json"),
        ("-G", "option requires an argument -- G"),
        ("-U", "illegal option -- U"),
    ])
    func `an invalid option is a usage error`(line: String, complaint: String) throws {
        #expect(throws: Failure.usage(complaint)) { try Self.read(line, "find-generic-password") }
    }

    @Test func `a letter has the meaning that the verb gives it`() throws {
        #expect(
            try Self.read("-p /path -d domain", "add-internet-password")
                == "path=/path security-domain=domain"
        )
        #expect(try Self.read("-p secret", "add-generic-password") == "legacy-password=secret")
        #expect(try Self.read("-adr", "dump-keychain") == "access data raw-data")
    }

    @Test func `an unquoted password is rejected as extra operands and not repeated`() throws {
        #expect(throws: Failure.usage("too many operands")) {
            try Self.read("-a me -s s -w my secret words", "add-generic-password")
        }
    }

    @Test(arguments: [["-h"], ["--help"], ["-gh"], ["-s", "x", "-h"]])
    func `help is requested with -h or --help`(arguments: [String]) throws {
        #expect(
            try ArgumentScanner.scan(arguments[...], of: #require(Verb.find("find-generic-password")))
                .wantsHelp
        )
    }

    @Test func `options of run end at the command`() throws {
        let line = "--env A=b/c printenv -v --env"
        #expect(try Self.read(line, "run") == "env=A=b/c printenv -v --env")
    }

    @Test func `options before the verb end at the verb`() throws {
        let scanned = try ArgumentScanner.scanTool(["-qv", "-p", "ask> ", "find-generic-password", "-w"])
        #expect(scanned.occurrences.map(\.option.name) == ["quiet", "verbose", "prompt"])
        #expect(scanned.operands == ["find-generic-password", "-w"])
    }

    @Test(arguments: [
        ("find-generic-password", "find-generic-password"), ("find-g", "find-generic-password"),
        ("find", "find-generic-password"), ("find-i", "find-internet-password"),
        ("add", "add-generic-password"), ("del", "delete-generic-password"), ("dump", "dump-keychain"),
        ("e", "export"), ("er", "error"), ("im", "import"), ("h", "help"), ("list", "list"),
        ("list-", "list-keychains"), ("set", "set"), ("set-", "set-keychain-settings"),
        ("exit-", "exit-codes"),
    ])
    func `a verb can be abbreviated`(name: String, verb: String) {
        #expect(Verb.find(name)?.name == verb)
    }

    @Test func `delete-keychain has no abbreviation`() {
        let name = "delete-keychain"
        for count in 1..<name.count {
            #expect(Verb.find(String(name.prefix(count)))?.name != name)
        }
        #expect(Verb.find(name)?.name == name)
        #expect(Verb.find("delete-k")?.name == "delete-key")
    }

    @Test(arguments: ["", "find-x", "find-generic-passwords", "FIND"])
    func `a string that is no prefix of a verb finds none`(name: String) {
        #expect(Verb.find(name) == nil)
    }
}
