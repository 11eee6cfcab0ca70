// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// Reading an item that requires authentication, with a real pinentry program on a terminal.
@Suite(RealPinentry.areAvailable) struct TerminalDialogTests {
    private let store: LockedStore
    private let terminal: Terminal

    init() throws {
        store = try LockedStore(keysIn: .runtimeDirectory)
        terminal = try Terminal()
    }

    /// Starts a process and adds an item that requires authentication.
    private func start(
        _ program: RealPinentry,
        at place: ChildProcess.Place,
        _ environment: [String: String] = [:]
    ) throws -> ChildProcess {
        let usual = ["KEYCHAIN_PINENTRY": program.rawValue, "PATH": "/usr/bin:/bin", "TERM": "xterm"]
        let child = try TestTool.start(
            over: store.store,
            environment: store.environment.merging(usual) { $1 }.merging(environment) { $1 },
            at: place
        )
        #expect(try child.ask("protected constrain ak canary-a") == "0")
        return child
    }

    /// The source of the terminal's name for the process.
    enum TerminalSource: CaseIterable, Sendable {
        case variable, standardError, session, staleVariable
    }

    private func start(_ program: RealPinentry, from source: TerminalSource) throws -> ChildProcess {
        switch source {
        case .variable: try start(program, at: .noTerminal, ["GPG_TTY": terminal.name])
        case .standardError: try start(program, at: .standardError(terminal))
        case .session: try start(program, at: .session(terminal))
        case .staleVariable: try start(program, at: .standardError(terminal), ["GPG_TTY": "not a tty"])
        }
    }

    @Test(arguments: RealPinentry.allCases, TerminalSource.allCases)
    func `the prompt appears on the terminal of the process`(
        program: RealPinentry,
        source: TerminalSource
    ) throws {
        let child = try start(program, from: source)
        defer { child.end() }
        try child.send("copy canary-a")
        try terminal.wait(for: "Passcode:")
        #expect(terminal.transcript.contains("KeychainTestTool"))
        #expect(!terminal.echoes)
        terminal.type(LockedStore.passcode + "\r")
        #expect(try child.readLine() == "0 canary")
        terminal.drain()
        #expect(terminal.echoes)
        #expect(!terminal.transcript.contains(LockedStore.passcode))
    }

    @Test(arguments: RealPinentry.allCases)
    func `a wrong passcode prompts again, and three wrong ones fail the call`(program: RealPinentry) throws {
        let child = try start(program, from: .variable)
        defer { child.end() }
        try child.send("copy canary-a")
        for (number, text) in ["wrong", LockedStore.passcode].enumerated() {
            try terminal.wait(for: "Passcode:", times: number + 1)
            terminal.type(text + "\r")
        }
        #expect(try child.readLine() == "0 canary")
        #expect(terminal.transcript.contains("The passcode is wrong."))
        try child.send("copy canary-a")
        for number in 3...5 {
            try terminal.wait(for: "Passcode:", times: number)
            terminal.type("wrong\r")
        }
        #expect(try child.readLine() == "-25293 ")
    }

    @Test(arguments: RealPinentry.allCases)
    func `cancelling returns errSecUserCanceled`(program: RealPinentry) throws {
        let child = try start(program, from: .standardError)
        defer { child.end() }
        try child.send("copy canary-a")
        try terminal.wait(for: "Passcode:")
        terminal.type(program.cancelKeys)
        #expect(try child.readLine() == "-128 ")
        #expect(terminal.echoes)
        // The cancelled prompt left no authentication result, so the next call prompts again.
        try child.send("copy canary-a")
        try terminal.wait(for: "Passcode:", times: 2)
        terminal.type(program.cancelKeys)
        #expect(try child.readLine() == "-128 ")
    }

    @Test(arguments: RealPinentry.allCases)
    func `a context prompts once and opens items until it is invalidated`(program: RealPinentry) throws {
        let child = try start(program, from: .session)
        defer { child.end() }
        try child.send("prove canary-a")
        try terminal.wait(for: "Passcode:")
        terminal.type(LockedStore.passcode + "\r")
        #expect(try child.readLine() == "0 canary, 0 canary, -25293 ")
        #expect(terminal.transcript.contains("to test a proof"))
        #expect(terminal.transcript.components(separatedBy: "Passcode:").count == 2)
    }

    @Test func `without a terminal and a display no pinentry program is started`() throws {
        let pinentry = try ScriptedPinentry([.passcode(LockedStore.passcode)])
        let folder = URL(filePath: pinentry.path).deletingLastPathComponent().path
        for environment in [[:], ["GPG_TTY": "not a tty"], ["GPG_TTY": "/dev/null"], ["DISPLAY": ""]] {
            // A pinentry program is first in PATH, so it would be started if a terminal or a display were set.
            let usual = store.environment.merging(["PATH": "\(folder):/usr/bin:/bin"]) { $1 }
            let child = try TestTool.start(
                over: store.store,
                environment: usual.merging(environment) { $1 },
                at: .noTerminal
            )
            defer { child.end() }
            #expect(try child.ask("protected constrain ak canary-a") == "0")
            #expect(try child.ask("copy canary-a") == "-25308 ")
            #expect(try child.ask("prove canary-a") == "error -1004")
            #expect(try child.ask("delete canary-a") == "0")
        }
        #expect(pinentry.commands.isEmpty)
    }
}
