// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import KeychainUserPresence
import Synchronization
import Testing

/// Passcode dialogs with real pinentry programs on a pseudo-terminal.
@Suite(RealPinentry.areAvailable) struct RealPinentryTests {
    private static let dialog = PinentryDialog(
        title: "title",
        description: "who “asks”\nand why",
        prompt: "Passcode:"
    )

    private let terminal: Terminal

    init() throws { terminal = try Terminal() }

    private func settings(
        _ program: RealPinentry,
        locale: String? = "C.UTF-8",
        timeout: Int = 60
    )
        -> PinentrySettings
    {
        var settings = PinentrySettings(
            program: program.rawValue,
            terminal: terminal.name,
            timeout: timeout
        )
        settings.terminalType = "xterm"
        settings.locale = locale
        // This long limit allows for a busy machine.
        settings.startLimit = 30_000
        return settings
    }

    /// Prompts on another thread while `user` types on the terminal.
    private func ask(
        _ settings: PinentrySettings,
        error: String? = nil,
        isCancelled: @escaping @Sendable () -> Bool = { false },
        user: (Terminal) throws -> Void
    ) throws -> Result<[UInt8], PinentryFailure> {
        let answer = Answer()
        Thread.detachNewThread {
            answer.set(
                Result { () throws(PinentryFailure) in
                    var pinentry = try Pinentry.start(Self.dialog, settings, isCancelled: isCancelled)
                    return try pinentry.ask(error: error).withBytes { Array($0) }
                }
            )
        }
        try user(terminal)
        return try answer.wait()
    }

    private final class End: Sendable {
        let hasCome = Mutex(false)
    }

    private final class Answer: Sendable {
        private let result = Mutex<Result<[UInt8], PinentryFailure>?>(nil)
        private let isThere = DispatchSemaphore(value: 0)

        func set(_ result: Result<[UInt8], PinentryFailure>) {
            self.result.withLock { $0 = result }
            isThere.signal()
        }

        func wait() throws -> Result<[UInt8], PinentryFailure> {
            try #require(isThere.wait(timeout: .now() + 60) == .success)
            return try #require(result.withLock { $0 })
        }
    }

    @Test(arguments: RealPinentry.allCases, ["C.UTF-8", nil, "C", "xx_XX.UTF-8"])
    func `the answer is what the user typed in any locale`(
        program: RealPinentry,
        locale: String?
    ) throws {
        let answer = try ask(settings(program, locale: locale)) { terminal in
            try terminal.wait(for: "Passcode:")
            #expect(!terminal.echoes)
            terminal.type("100% secret\r")
        }
        #expect(answer == .success(Array("100% secret".utf8)))
        terminal.drain()
        #expect(terminal.echoes)
        #expect(!terminal.transcript.contains("100%"))
        #expect(terminal.transcript.contains("and why"))
    }

    @Test(arguments: RealPinentry.allCases)
    func `the dialog shows the last error`(program: RealPinentry) throws {
        let answer = try ask(settings(program), error: "It is wrong.") { terminal in
            try terminal.wait(for: "It is wrong.")
            try terminal.wait(for: "Passcode:")
            terminal.type("\r")
        }
        #expect(answer == .success([]))
    }

    @Test(arguments: RealPinentry.allCases)
    func `the user can cancel`(program: RealPinentry) throws {
        let answer = try ask(settings(program)) { terminal in
            try terminal.wait(for: "Passcode:")
            terminal.type(program.cancelKeys)
        }
        #expect(answer == .failure(.cancelled))
        #expect(terminal.echoes)
    }

    @Test(arguments: RealPinentry.allCases)
    func `a prompt that times out restores the terminal`(
        program: RealPinentry
    ) throws {
        let answer = try ask(settings(program, timeout: 1)) { try $0.wait(for: "Passcode:") }
        #expect(answer == .failure(.timedOut))
        #expect(terminal.echoes)
    }

    @Test(arguments: RealPinentry.allCases)
    func `a prompt cancelled by the caller restores the terminal`(
        program: RealPinentry
    ) throws {
        let end = End()
        let answer = try ask(settings(program), isCancelled: { end.hasCome.withLock { $0 } }) { terminal in
            try terminal.wait(for: "Passcode:")
            end.hasCome.withLock { $0 = true }
        }
        #expect(answer == .failure(.stopped))
        #expect(terminal.echoes)
    }

    @Test(arguments: RealPinentry.allCases)
    func `a terminal that has been closed cannot show a prompt`(program: RealPinentry) throws {
        var settings = settings(program)
        settings.terminal = "/dev/pts/nowhere"
        let answer = try ask(settings) { _ in }
        // pinentry-tty reports this failure as a cancellation.
        #expect(answer == .failure(program == .tty ? .cancelled : .unavailable))
    }
}
