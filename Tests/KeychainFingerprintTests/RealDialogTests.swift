// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import KeychainUserPresence
import Testing

/// The fingerprint prompt with real pinentry programs on a pseudo-terminal.
extension KeychainFingerprintTests {
    @Suite(.searchedKeychain, RealPinentry.areAvailable) struct RealDialogTests {
        private static let dialog = FingerprintDialog(title: "title", description: "who “asks”\nand why")

        /// Prompts on another thread while `user` types on the terminal.
        private func ask(
            _ program: RealPinentry,
            _ flow: Flow,
            fallback: String? = nil,
            user: (Terminal) throws -> Void
        ) async throws -> Result<[String], FingerprintFailure> {
            let terminal = try Terminal()
            var place = PinentrySettings(program: program.rawValue, terminal: terminal.name, timeout: 60)
            place.terminalType = "xterm"
            place.locale = "C.UTF-8"
            // This long limit allows for a busy machine.
            place.startLimit = 30_000
            var dialog = Self.dialog
            dialog.fallbackTitle = fallback
            let prompt = FingerprintPrompt(dialog, flow.machine.settings(), pinentry: place) { false }
            let answers = Self.begin(prompt)
            try user(terminal)
            let result = try #require(await answers.first { _ in true })
            terminal.drain()
            #expect(terminal.echoes)
            #expect(terminal.transcript.contains("and why"))
            return result
        }

        /// Starts the prompt on a thread of its own, because the test blocks a pool thread while it waits.
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
        func `a recognized finger closes the dialog and restores the terminal`(
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
        func `the user can cancel a fingerprint dialog`(program: RealPinentry) async throws {
            try await Flow.run { flow in
                let answer = try await ask(program, flow, fallback: "Passcode") { terminal in
                    try terminal.wait(for: "Touch the fingerprint sensor.")
                    terminal.type(program == .tty ? "c" : "\t\r")
                }
                #expect(answer == .failure(.cancelled))
            }
        }

        @Test(arguments: RealPinentry.allCases)
        func `the user can choose the fallback in a fingerprint dialog`(program: RealPinentry) async throws {
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
