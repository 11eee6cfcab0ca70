// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import KeychainTool
import Testing

@Suite struct LineEditorTests {
    private static let up = "\u{1B}[A"

    private let terminal: Terminal
    private let home: TemporaryHome

    init() throws {
        terminal = try Terminal()
        home = try TemporaryHome()
    }

    private func start(_ arguments: [String] = ["-i"], terminalType: String = "xterm") throws -> ToolProcess {
        var environment = home.environment
        environment["TERM"] = terminalType
        let process = try terminal.start(arguments, in: environment)
        try terminal.wait(for: "security> ")
        return process
    }

    @Test func `a line is edited before it is run, and recalled afterwards`() throws {
        let process = try start()
        terminal.type("rror 1\u{1}e\u{5}\u{7F}0\r")
        // Before the next prompt, the terminal would echo the keys typed.
        try terminal.wait(for: "No error.\n\rsecurity> ")
        terminal.type(Self.up + "\r")
        // Before the next prompt, the terminal would interpret Ctrl-D itself.
        try terminal.wait(for: "No error.\n\rsecurity> ", times: 2)
        terminal.type("\u{4}")
        #expect(try process.wait() == 0)
        #expect(terminal.echoes)
    }

    @Test(arguments: [
        ("add-generic-password -a me -s item -w canary", 0), ("unlock-keychain -p canary", 50), ("canary", 1),
        ("get --canary", 2), ("run -- true canary", 2),
    ])
    func `a line that may have a password is not recalled`(line: String, code: Int32) throws {
        let process = try start()
        terminal.type("error 0\r")
        try terminal.wait(for: "No error.")
        terminal.type(line + "\r")
        terminal.type(Self.up + "\r")
        try terminal.wait(for: "No error.", times: 2)
        terminal.type("exit\r")
        #expect(try process.wait() == code)
    }

    @Test func `no line is written to a file`() throws {
        let process = try start()
        terminal.type("error 0\rexit\r")
        #expect(try process.wait() == 0)
        let names = try FileManager.default.subpathsOfDirectory(atPath: home.directory)
        #expect(!names.contains { $0.contains("history") })
    }

    @Test func `the prompt for a password does not echo in interactive mode`() throws {
        let process = try start()
        terminal.type("add-generic-password -a me -s item -w\r")
        try terminal.wait(for: "password data for new item: ")
        terminal.type("canary\r")
        try terminal.wait(for: "retype password for new item: ")
        terminal.type("canary\r")
        // Input before the next prompt would be discarded with the rest of the password's line.
        try terminal.wait(for: "item: \n\rsecurity> ")
        terminal.type("error 0\r")
        try terminal.wait(for: "No error.")
        #expect(!terminal.transcript.contains("canary"))
        terminal.type("find-generic-password -ws item\r")
        try terminal.wait(for: "canary\n")
        terminal.type("exit\r")
        #expect(try process.wait() == 0)
    }

    @Test(arguments: [(SIGINT, "\u{3}"), (SIGQUIT, "\u{1C}"), (SIGTERM, "")])
    func `a signal ends the command and restores the terminal`(signal: Int32, key: String) throws {
        let process = try start()
        terminal.type("error 0\r")
        try terminal.wait(for: "No error.")
        try terminal.wait(for: "security> ", times: 2)
        if key.isEmpty { kill(process.identifier, signal) } else { terminal.type(key) }
        #expect(try process.wait() == 128 + signal)
        #expect(terminal.echoes)
    }

    @Test(arguments: ["", "dumb"])
    func `a terminal that cannot move its cursor is read line by line`(type: String) throws {
        let process = try start(terminalType: type)
        terminal.type("error 0\n")
        try terminal.wait(for: "No error.")
        terminal.type("\u{4}")
        #expect(try process.wait() == 0)
        #expect(!terminal.transcript.contains("\u{1B}"))
    }

    @Test func `every option for a password is of a kind that stays out of the history`() {
        for verb in Verb.table {
            for option in verb.options where !option.kind.isSecret {
                #expect(
                    !["password", "passcode", "passphrase", "secret"].contains(option.placeholder),
                    "\(verb.name) --\(option.name)"
                )
            }
        }
    }
}
