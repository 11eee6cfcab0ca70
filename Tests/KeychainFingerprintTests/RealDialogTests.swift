// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import KeychainUserPresence
import Testing

/// A finger and the programs that people have, on a terminal of the test's own.
extension KeychainFingerprintTests {
    @Suite(.searchedKeychain, RealPinentry.areAvailable) struct RealDialogTests {
        private static let dialog = FingerprintDialog(title: "title", description: "who “asks”\nand why")

        /// Asks on a thread of its own while the test is the person.
        private func ask(
            _ program: RealPinentry,
            _ flow: Flow,
            fallback: String? = nil,
            person: (Terminal) throws -> Void
        ) async throws -> Result<[String], FingerprintFailure> {
            let terminal = try Terminal()
            var place = PinentrySettings(program: program.rawValue, terminal: terminal.name, patience: 60)
            place.terminalType = "xterm"
            place.locale = "C.UTF-8"
            // A busy machine may take its time.
            place.startLimit = 30_000
            var dialog = Self.dialog
            dialog.fallbackTitle = fallback
            let prompt = FingerprintPrompt(dialog, flow.machine.settings(), at: place) { false }
            let answers = Self.begin(prompt)
            try person(terminal)
            let result = try #require(await answers.first { _ in true })
            terminal.drain()
            #expect(terminal.echoes)
            #expect(terminal.transcript.contains("and why"))
            return result
        }

        /// Begins to ask, in no task: the test blocks a thread of the pool while it waits for the terminal.
        private static func begin(
            _ prompt: FingerprintPrompt
        ) -> AsyncStream<Result<[String], FingerprintFailure>> {
            let (answers, continuation) = AsyncStream.makeStream(
                of: Result<[String], FingerprintFailure>.self
            )
            Thread.detachNewThread {
                continuation.yield(Result { () throws(FingerprintFailure) in try prompt.ask().fingers })
                continuation.finish()
            }
            return answers
        }

        @Test(arguments: RealPinentry.allCases)
        func `the right finger ends the dialog, and the terminal is as it was`(
            program: RealPinentry
        ) async throws {
            try await Flow.run { flow in
                let answer = try await ask(program, flow) { terminal in
                    try terminal.wait(for: "Touch the fingerprint sensor.")
                    try flow.touches("wrong")
                    try terminal.wait(for: "The finger was not recognized.")
                    try flow.touches(Flow.finger)
                }
                #expect(answer == .success([Flow.finger]))
            }
        }

        @Test(arguments: RealPinentry.allCases)
        func `the person can say no`(program: RealPinentry) async throws {
            try await Flow.run { flow in
                let answer = try await ask(program, flow, fallback: "Passcode") { terminal in
                    try terminal.wait(for: "Touch the fingerprint sensor.")
                    terminal.type(program == .tty ? "c" : "\t\r")
                }
                #expect(answer == .failure(.cancelled))
            }
        }

        @Test(arguments: RealPinentry.allCases)
        func `the person can choose another way`(program: RealPinentry) async throws {
            try await Flow.run { flow in
                let answer = try await ask(program, flow, fallback: "Passcode") { terminal in
                    try terminal.wait(for: "Touch the fingerprint sensor.")
                    terminal.type(program == .tty ? "p" : "\r")
                }
                #expect(answer == .failure(.fallback))
            }
        }
    }
}
