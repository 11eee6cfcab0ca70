// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

@Suite(.serialized) struct PasscodePromptTests {
    @Test func `a passcode is set, used and changed at the prompts`() throws {
        let home = try TemporaryHome()
        defer { _ = try? home.security("set-keychain-password", "-o", "second", "--remove") }
        try answer(
            ["set-keychain-password"],
            [("New Password: ", "first\n"), ("Retype New Password: ", "first\n")],
            in: home
        )
        #expect(
            try home.security("add-generic-password", "-a", "me", "-s", "service", "-w", "secret").code == 0
        )
        #expect(try home.security("lock-keychain").code == 0)
        #expect(try home.security("find-generic-password", "-s", "service").code == 36)
        try answer(["unlock-keychain"], [("password to unlock \(home.store): ", "first\n")], in: home)
        #expect(try home.security("find-generic-password", "-s", "service").code == 0)
        try answer(
            ["set-keychain-password"],
            [
                ("Old Password: ", "first\n"), ("New Password: ", "second\n"),
                ("Retype New Password: ", "second\n"),
            ],
            in: home
        )
        #expect(try home.security("unlock-keychain", "-p", "first").code == 51)
        #expect(try home.security("unlock-keychain", "-p", "second").code == 0)
    }

    @Test(arguments: [["create-keychain", "-p"], ["set-keychain-password"]])
    func `two different answers set no passcode`(arguments: [String]) throws {
        let home = try TemporaryHome()
        let terminal = try Terminal()
        let process = try terminal.start(arguments, in: home)
        for round in 1...3 {
            for (prompt, text) in [("New Password: ", "one\n"), ("Retype New Password: ", "two\n")] {
                let prompt =
                    arguments.count == 1
                    ? prompt : prompt == "New Password: " ? "passcode for new" : "retype passcode"
                // "New Password: " is also the end of the second prompt, so it occurs twice in each round.
                try terminal.wait(for: prompt, times: text == "one\n" ? 2 * round - 1 : round)
                terminal.type(text)
            }
        }
        #expect(try process.wait() == 1)
        // No keychain was created.
        #expect(try home.security("show-keychain-info").code == 50)
    }

    @Test(arguments: ["", String(repeating: "x", count: 1_025)])
    func `a rejected passcode creates no keychain without a passcode`(passcode: String) throws {
        let home = try TemporaryHome()
        let result = try home.security("create-keychain", "-p", passcode)
        #expect(result.code == 206)
        #expect(result.complaintsText.contains("a passcode must have 1 to 1024 bytes"))
        #expect(!FileManager.default.fileExists(atPath: home.store + "/keychain.db"))
        #expect(try home.security("create-keychain", "-p", "canary").code == 0)
        #expect(try home.security("show-keychain-info").outputText.contains("passcode: set"))
    }

    @Test(arguments: ["remove", "yes"])
    func `removing the passcode asks for confirmation before it destroys items`(answer: String) throws {
        let home = try TemporaryHome()
        defer { _ = try? home.security("set-keychain-password", "-o", "canary", "--remove", "--force") }
        #expect(try home.security("set-keychain-password", "-p", "canary").code == 0)
        for (service, protection) in [("strict", "akpu"), ("mail", "ak")] {
            let result = try home.security(
                "add-generic-password",
                "-a",
                "me",
                "-s",
                service,
                "-w",
                "secret",
                "--accessible",
                protection
            )
            #expect(result.code == 0)
        }
        let terminal = try Terminal()
        let process = try terminal.start(["set-keychain-password", "-o", "canary", "--remove"], in: home)
        try terminal.wait(for: "destroys 1 item:")
        try terminal.wait(for: "Type remove to continue: ")
        terminal.type(answer + "\n")
        #expect(try process.wait() == (answer == "remove" ? 0 : 1))
        let info = try home.security("show-keychain-info").outputText
        #expect(info.contains("passcode: not set") == (answer == "remove"))
        #expect(info.contains("items: \(answer == "remove" ? 1 : 2)"))
    }

    @Test func `no core file can contain typed passcodes`() throws {
        let home = try TemporaryHome()
        let terminal = try Terminal()
        let process = try terminal.start(["set-keychain-password"], in: home)
        try terminal.wait(for: "New Password: ")
        let limits = FileHandle(forReadingAtPath: "/proc/\(process.identifier)/limits")?.readDataToEndOfFile()
        let text = String(decoding: limits ?? Data(), as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
        #expect(line?.split(separator: " ").dropFirst(4).first == "0")
        terminal.type("\u{4}")
        #expect(try process.wait() == 1)
    }

    /// Runs a command, answers its prompts, and expects success; the terminal must not show the answers.
    private func answer(
        _ arguments: [String],
        _ answers: [(prompt: String, text: String)],
        in home: TemporaryHome
    ) throws {
        let terminal = try Terminal()
        let process = try terminal.start(arguments, in: home)
        for (prompt, text) in answers {
            try terminal.wait(for: prompt)
            terminal.type(text)
        }
        #expect(try process.wait() == 0)
        terminal.drain()
        for (_, text) in answers { #expect(!terminal.transcript.contains(text)) }
    }
}
