// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Standard input that arrives in parts, fails or is closed: the command must not use an incomplete line.
@Suite struct StandardInputTests {
    private let home: TemporaryHome

    init() throws { home = try TemporaryHome() }

    /// Runs the command with a non-blocking pipe as input, which receives the input in two parts.
    private func feed(_ first: String, _ second: String, to arguments: String) throws -> ToolProcess.Result {
        // dd sets O_NONBLOCK on the pipe, and the command inherits the setting.
        try home.shell(
            """
            { printf '\(first)'; sleep 1; printf '\(second)'; } | {
                dd iflag=nonblock count=0 2> /dev/null
                security \(arguments)
            }
            """
        )
    }

    private func password(_ account: String) throws -> String {
        try home.security("find-generic-password", "-a", account, "-w").outputText
    }

    @Test func `a command that arrives in two parts is run when it is complete`() throws {
        for account in ["bob", "alice", "carol"] {
            let added = try home.security("add-generic-password", "-a", account, "-s", "mail", "-w", account)
            #expect(added.code == 0)
        }
        let result = try feed("delete-generic-password -s mail", #" -a alice\n"#, to: "-i")
        #expect(result.code == 0)
        #expect(result.complaintsText == "password has been deleted.\n")
        #expect(try password("alice") == "")
        #expect(try password("bob") == "bob\n")
        #expect(try password("carol") == "carol\n")
    }

    @Test func `a password that arrives in two parts is stored completely`() throws {
        let line = #"add-generic-password -a me -s service -w\nhalf"#
        #expect(try feed(line, #" of it\n"#, to: "-i").code == 0)
        #expect(try password("me") == "half of it\n")
        let rest = try feed("half", #" of it\n"#, to: "add-generic-password -a you -s service -w")
        #expect(rest.code == 0)
        #expect(try password("you") == "half of it\n")
    }

    @Test(arguments: [
        ("security -i <&-", "Bad file descriptor"), ("security -i < /", "Is a directory"),
        ("security -p 'ask> ' < /", "Is a directory"),
        ("security add-generic-password -a me -s service -w < /", "Is a directory"),
    ])
    func `unreadable standard input is an error`(line: String, error: String) throws {
        let result = try home.shell(line)
        #expect(result.code == 1)
        #expect(result.complaintsText == "security: standard input: \(error)\n")
        #expect(try home.security("find-generic-password", "-s", "service").code == 44)
    }

    @Test(arguments: ["false |", "printf '\\n' |", "< /dev/null"])
    func `empty standard input is rejected as a password`(input: String) throws {
        let (pipe, file) = input.hasPrefix("<") ? ("", input) : (input, "")
        let result = try home.shell("\(pipe) security add-generic-password -a me -s service -w \(file)")
        #expect(result.code == 1)
        #expect(
            result.complaintsText
                == "security: no password on standard input; pass an empty password as the argument ''\n"
        )
        #expect(try home.security("find-generic-password", "-s", "service").code == 44)
        #expect(try home.shell("security add-generic-password -a me -s service -w ''").code == 0)
        #expect(try password("me") == "\n")
    }

    @Test(arguments: ["-w", "-w canary --access-control application-password --application-password"])
    func `an empty line is rejected as a password in interactive mode`(options: String) throws {
        let line = "add-generic-password -a me -s service \(options)\n\n"
        let result = try home.security("-i", input: Array(line.utf8))
        let complaint =
            "security: no password on standard input; pass an empty password as the argument ''"
        #expect(result.complaintsText == "\(complaint)\nadd-generic-password: returned 1\n")
        #expect(try home.security("find-generic-password", "-s", "service").code == 44)
        #expect(
            try home.security("-i", input: Array("add-generic-password -a me -s service -w ''".utf8)).code
                == 0
        )
        #expect(try password("me") == "\n")
    }

    @Test func `the end of input ends the last line`() throws {
        let input = Array("add-generic-password -a me -s service -w\nsecret".utf8)
        #expect(try home.security("-i", input: input).code == 0)
        #expect(try password("me") == "secret\n")
        #expect(try home.security("-i").code == 0)
    }
}
