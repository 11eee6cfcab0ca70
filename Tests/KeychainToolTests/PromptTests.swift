// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainTestSupport
import Testing

@Suite struct PromptTests {
    private let first = "password data for new item: "
    private let second = "retype password for new item: "
    private let arguments = ["add-generic-password", "-a", "me", "-s", "service", "-w"]

    @Test func `a password is prompted for twice and not echoed`() throws {
        let home = try TemporaryHome()
        let terminal = try Terminal()
        let process = try terminal.start(arguments, in: home)
        try terminal.wait(for: first)
        #expect(!terminal.echoes)
        terminal.type("silent-canary\n")
        try terminal.wait(for: second)
        #expect(!terminal.echoes)
        terminal.type("silent-canary\n")
        #expect(try process.wait() == 0)
        terminal.drain()
        #expect(terminal.echoes)
        #expect(terminal.transcript == "\(first)\n\(second)\n")
        #expect(try home.security("find-generic-password", "-wa", "me").outputText == "silent-canary\n")
    }

    @Test func `two different passwords prompt again, three times at most`() throws {
        let home = try TemporaryHome()
        let terminal = try Terminal()
        let process = try terminal.start(arguments, in: home)
        for round in 1...3 {
            try terminal.wait(for: first, times: round)
            terminal.type("one\n")
            try terminal.wait(for: second, times: round)
            terminal.type("other\n")
        }
        #expect(try process.wait() == 1)
        terminal.drain()
        #expect(terminal.transcript.contains("passwords don't match\n"))
        #expect(!terminal.transcript.contains("other"))
        #expect(try home.security("find-generic-password", "-wa", "me").code == 44)
    }

    @Test func `an empty answer is rejected`() throws {
        let home = try TemporaryHome()
        let terminal = try Terminal()
        let process = try terminal.start(arguments, in: home)
        for prompt in [first, second] {
            try terminal.wait(for: prompt)
            terminal.type("\n")
        }
        #expect(try process.wait() == 1)
        terminal.drain()
        #expect(
            terminal.transcript.contains("no password was given; pass an empty password as the argument ''")
        )
        #expect(try home.security("find-generic-password", "-wa", "me").code == 44)
    }

    @Test func `a prompt works if low file descriptors are in use`() throws {
        let home = try TemporaryHome()
        let terminal = try Terminal()
        // The shell opens the descriptors below 1,200, and then becomes the command.
        let script = """
            ulimit -n 2048
            for ((number = 3; number < 1200; number++)); do eval "exec $number< /dev/null"; done
            exec security add-generic-password -a me -s service -w
            """
        let process = try terminal.start("/bin/bash", ["-c", script], in: home.environment)
        for prompt in [first, second] {
            try terminal.wait(for: prompt)
            #expect(!terminal.echoes)
            terminal.type("silent-canary\n")
        }
        #expect(try process.wait() == 0)
        #expect(terminal.echoes)
        #expect(try home.security("find-generic-password", "-wa", "me").outputText == "silent-canary\n")
    }

    @Test func `a password that the terminal truncates is rejected`() throws {
        let home = try TemporaryHome()
        let terminal = try Terminal()
        let process = try terminal.start(arguments, in: home)
        try terminal.wait(for: first)
        terminal.type(String(repeating: "x", count: 5_000) + "\n")
        #expect(try process.wait() == 1)
        terminal.drain()
        #expect(terminal.echoes)
        #expect(terminal.transcript.contains("security: a line at a terminal has at most 4094 bytes"))
        #expect(try home.security("find-generic-password", "-wa", "me").code == 44)
    }

    @Test func `a password of the maximum length of a terminal line is stored completely`() throws {
        let home = try TemporaryHome()
        let terminal = try Terminal()
        let process = try terminal.start(arguments, in: home)
        let password = String(repeating: "x", count: 4_094) + "\n"
        for prompt in [first, second] {
            try terminal.wait(for: prompt)
            terminal.type(password)
        }
        #expect(try process.wait() == 0)
        #expect(try home.security("find-generic-password", "-wa", "me").outputText == password)
    }

    @Test func `a command line that the terminal truncates is not run`() throws {
        let home = try TemporaryHome()
        let terminal = try Terminal()
        let process = try terminal.start(["-i"], in: home)
        try terminal.wait(for: "security> ")
        terminal.type("error 0 " + String(repeating: " ", count: 5_000) + "-25300\n")
        #expect(try process.wait() == 1)
        terminal.drain()
        #expect(!terminal.transcript.contains("No error"))
        #expect(terminal.transcript.contains("security: a line at a terminal has at most 4094 bytes"))
    }

    @Test(arguments: [("\u{3}", SIGINT), ("\u{1c}", SIGQUIT)])
    func `an interrupted prompt restores the echo`(key: String, signal: Int32) throws {
        let home = try TemporaryHome()
        let terminal = try Terminal()
        let process = try terminal.start(arguments, in: home)
        try terminal.wait(for: first)
        #expect(!terminal.echoes)
        terminal.type("half of it" + key)
        #expect(try process.wait() == 128 + signal)
        terminal.drain()
        #expect(terminal.echoes)
        #expect(!terminal.transcript.contains("half"))
    }

    @Test func `the end of input at the prompt adds nothing and restores the echo`() throws {
        let home = try TemporaryHome()
        let terminal = try Terminal()
        let process = try terminal.start(arguments, in: home)
        try terminal.wait(for: first)
        terminal.type("\u{4}")
        #expect(try process.wait() == 1)
        #expect(terminal.echoes)
        #expect(try home.security("find-generic-password", "-wa", "me").code == 44)
    }

    @Test func `a prompt that was stopped and continued ends with a signal and restores the echo`() throws {
        let home = try TemporaryHome()
        let terminal = try Terminal()
        let process = try terminal.start(arguments, in: home)
        try terminal.wait(for: first)
        kill(process.identifier, SIGSTOP)
        kill(process.identifier, SIGCONT)
        kill(process.identifier, SIGTERM)
        #expect(try process.wait() == 128 + SIGTERM)
        #expect(terminal.echoes)
    }

    @Test func `a password in the arguments causes a warning on a terminal only`() throws {
        let home = try TemporaryHome()
        let terminal = try Terminal()
        let process = try terminal.start(arguments + ["seen"], in: home)
        #expect(try process.wait() == 0)
        terminal.drain()
        #expect(terminal.transcript.hasPrefix("security: warning: "))
        #expect(!terminal.transcript.contains("seen"))
        let quiet = try home.security("add-generic-password", "-a", "you", "-s", "service", "-w", "seen")
        #expect(quiet.complaintsText.isEmpty)
    }

    @Test func `interactive mode prompts on a terminal`() throws {
        let home = try TemporaryHome()
        let terminal = try Terminal()
        let process = try terminal.start(["-p", "next? "], in: home)
        try terminal.wait(for: "next? ")
        terminal.type("error 0\n")
        try terminal.wait(for: "No error")
        try terminal.wait(for: "next? ", times: 2)
        terminal.type("\u{4}")
        #expect(try process.wait() == 0)
    }
}
