// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

@testable import KeychainUserPresence

/// What the user does at the sensor and in the dialog, and the error of the evaluation.
extension KeychainFingerprintTests {
    @Suite(.searchedKeychain) struct PolicyTests {
        struct Row: Sendable, CustomTestStringConvertible {
            let name: String
            var policy = Flow.biometrics
            var fingers: [String] = []
            var presses: [ScriptedPinentry.Answer] = []
            var fallback: String?
            let error: LAError.Code?
            /// The expected number of passcode prompts.
            var prompts = 0

            var testDescription: String { name }
        }

        private static let right = Flow.finger
        /// A user who presses the fallback button in each dialog that says that a finger was not recognized.
        private static let agreesAfterMiss = Array(
            repeating: ScriptedPinentry.Answer.shell(
                #"if grep -q 'not recognized' "$log"; then echo OK; fi"#
            ),
            count: 3
        )

        // swift-format-ignore
        static let rows: [Row] = [
            Row(name: "right",                        fingers: [right], error: nil),
            Row(name: "wrong, then right",            fingers: ["wrong", right], error: nil),
            Row(name: "two wrong, then right",        fingers: ["wrong", "other", right], error: nil),
            Row(name: "three wrong",                  fingers: ["wrong", "other", "wrong", right], error: .authenticationFailed),
            Row(name: "cancelled",                    presses: [.cancel], error: .userCancel),
            Row(name: "the only button at first",     presses: [.shell("echo OK")], error: .userCancel),
            Row(name: "fallback after a wrong finger", fingers: ["wrong"], presses: agreesAfterMiss, error: .userFallback),
            Row(name: "no fallback",                  fingers: ["wrong"], presses: agreesAfterMiss, fallback: "", error: .userCancel),
            Row(name: "not confirmed",                presses: [.shell("echo 'ERR 83886194 Not confirmed'")], error: .userCancel),
            Row(name: "the program crashes",          presses: [.shell("kill -9 $$")], error: .notInteractive),
            Row(name: "timed out",                    presses: [.shell("echo 'ERR 83886142 Timeout'")], error: .systemCancel),
            Row(name: "or companion: right",          policy: .deviceOwnerAuthenticationWithBiometricsOrCompanion, fingers: [right], error: nil),
            Row(name: "or companion: three wrong",    policy: .deviceOwnerAuthenticationWithBiometricsOrCompanion, fingers: ["wrong", "other", "wrong", right], error: .authenticationFailed),
            Row(name: "companion",                    policy: .deviceOwnerAuthenticationWithCompanion, error: .companionNotAvailable),
            Row(name: "owner: right",                 policy: Flow.owner, fingers: [right], error: nil),
            Row(name: "owner: three wrong, passcode", policy: Flow.owner, fingers: ["wrong", "other", "wrong"], error: nil, prompts: 1),
            Row(name: "owner: passcode instead",      policy: Flow.owner, presses: [.shell("echo OK")], error: nil, prompts: 1),
            Row(name: "owner: cancelled",             policy: Flow.owner, presses: [.cancel], error: .userCancel),
            Row(name: "owner: no fallback",           policy: Flow.owner, presses: [.shell("echo OK")], fallback: "", error: .userCancel),
            Row(name: "owner: timed out",             policy: Flow.owner, presses: [.shell("echo 'ERR 83886142 Timeout'")], error: .systemCancel),
        ]

        @Test(arguments: rows)
        func `evaluating a policy returns the error for each user response`(row: Row) async throws {
            let passcode = ScriptedPinentry.Answer.passcode(SearchedKeychain.passcode)
            try await Flow.run(answers: [passcode], presses: row.presses) { flow in
                if !row.fingers.isEmpty { try flow.machine.sensor.expect(row.fingers) }
                let context = LAContext()
                context.localizedFallbackTitle = row.fallback
                #expect(await Flow.evaluate(row.policy, context) == row.error)
                #expect(flow.pinentry.prompts == row.prompts)
                guard row.error == nil else { return }
                // The context is authenticated now, so a second evaluation does not prompt.
                let commands = flow.pinentry.commands.count
                #expect(await Flow.evaluate(row.policy, context) == nil)
                #expect(flow.pinentry.commands.count == commands)
            }
        }

        @Test func `the dialog shows the program, the reason and the last error`() async throws {
            try await Flow.run { flow in
                let context = LAContext()
                context.localizedCancelTitle = "Not now"
                context.localizedFallbackTitle = "Another way"
                let result = Flow.begin(Flow.biometrics, context)
                try flow.reads("to test a finger")
                let description = try #require(flow.pinentry.descriptions.first)
                let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().lastPathComponent
                #expect(description.contains("The program “\(program)” asks for a fingerprint."))
                #expect(flow.pinentry.commands.contains("SETOK Not now"))
                try flow.touches("wrong")
                try flow.reads("The finger was not recognized.")
                #expect(flow.pinentry.commands.contains("SETOK Another way"))
                #expect(flow.pinentry.commands.contains("SETCANCEL Not now"))
                try flow.machine.awaitFinger()
                try flow.machine.sensor.tell("RETRY 1")
                try flow.reads("The finger could not be read.")
                try flow.touches(Flow.finger)
                #expect(await result.code == nil)
            }
        }

        @Test func `no finger is accepted if the dialog cannot be shown`() async throws {
            try await Flow.run { flow in
                try flow.machine.sensor.expect(Flow.finger)
                await flow.asking({ $0.display = nil }) {
                    #expect(await Flow.evaluate(Flow.biometrics) == .notInteractive)
                    #expect(await Flow.evaluate(Flow.owner) == .notInteractive)
                }
                let context = LAContext()
                context.interactionNotAllowed = true
                #expect(await Flow.evaluate(Flow.biometrics, context) == .notInteractive)
                #expect(flow.pinentry.commands.isEmpty)
                #expect(await Flow.evaluate(Flow.biometrics) == nil)
            }
        }

        @Test func `invalidating the context closes the dialog and releases the sensor`() async throws {
            try await Flow.run { flow in
                let context = LAContext()
                nonisolated(unsafe) let other = context
                let result = Flow.begin(Flow.biometrics, other)
                try flow.reads("Touch the fingerprint sensor.")
                try flow.machine.awaitFinger()
                context.invalidate()
                #expect(await result.code == .appCancel)
                #expect(Flow.check(Flow.biometrics, context) == .invalidContext)
                try flow.machine.sensor.expect(Flow.finger)
                #expect(await Flow.evaluate(Flow.biometrics) == nil)
            }
        }

        @Test func `a dialog times out if the user does nothing`() async throws {
            try await Flow.run { flow in
                await flow.asking({ $0.timeout = 0 }) {
                    #expect(await Flow.evaluate(Flow.biometrics) == .systemCancel)
                }
            }
        }

        @Test func `a sensor that is not touched times out instead of counting as missing`() async throws {
            try await Flow.run(waitLimit: 200) { flow in
                #expect(await Flow.evaluate(Flow.biometrics) == .systemCancel)
                let item = FingerItem()
                let added = try item.add(.biometryAny)
                #expect(added == 0)
                #expect(item.read() == errSecUserCanceled)
            }
        }

        @Test func `one timeout applies to all fingers of a dialog`() async throws {
            let clock = SteppedClock()
            try await Flow.run { flow in
                try await flow.asking({
                    $0.timeout = 600
                    $0.now = { clock.now }
                    // The start limit exceeds the steps by which the test advances its clock.
                    $0.startLimit = 10_000_000
                }) {
                    let result = Flow.begin(Flow.biometrics)
                    try flow.reads("Touch the fingerprint sensor.")
                    clock.advance(by: 500)
                    try flow.touches("wrong")
                    try flow.reads("The finger was not recognized.")
                    clock.advance(by: 200)
                    #expect(await result.code == .systemCancel)
                }
            }
        }

        #if Fingerprint
        @Test func `a cancelled prompt is not shown again when a finger fails at the same time`() async throws
        {
            let cancels = ScriptedPinentry.Answer.shell(
                "echo 'ERR 83886179 Operation cancelled'; touch \"$log.cancelled\""
            )
            try await Flow.run(presses: [cancels]) { flow in
                await flow.asking {
                    let verification = FingerprintVerification(.current, limit: 60_000)
                    defer { verification.abandon() }
                    let round = FingerprintRound(
                        FingerprintDialog(title: "Keychain", description: "x"),
                        verification,
                        pinentry: flow.pinentry.settings
                    ) {
                        // The sensor reports an unknown finger, but only after the dialog was cancelled.
                        if flow.pinentry.hasCancelled { verification.addHint(.notRecognized) }
                        return false
                    }
                    let result = Result { () throws(FingerprintFailure) in try round.run() }
                    #expect(!verification.hints.isEmpty)
                    #expect(result == .failure(.cancelled))
                }
            }
        }
        #endif

        @Test func `five unrecognized fingers in a row lock out the sensor until the passcode is verified`()
            async throws
        {
            let passcode = ScriptedPinentry.Answer.passcode(SearchedKeychain.passcode)
            try await Flow.run(answers: [passcode]) { flow in
                try flow.machine.sensor.expect("wrong", "wrong", "wrong")
                #expect(await Flow.evaluate(Flow.biometrics) == .authenticationFailed)
                try flow.machine.sensor.expect("wrong", "wrong")
                #expect(await Flow.evaluate(Flow.biometrics) == .biometryLockout)
                #expect(Flow.check(Flow.biometrics) == .biometryLockout)
                let commands = flow.pinentry.commands.count
                #expect(await Flow.evaluate(Flow.biometrics) == .biometryLockout)
                #expect(flow.pinentry.commands.count == commands)
                #expect(await Flow.evaluate(Flow.owner) == nil)
                #expect(flow.pinentry.prompts == 1)
                #expect(Flow.check(Flow.biometrics) == nil)
            }
        }

        @Test func `a recognized finger satisfies other contexts within their reuse duration`() async throws {
            let clock = SteppedClock()
            try await Flow.run(history: FingerprintHistory(by: { clock.now })) { flow in
                try flow.machine.sensor.expect(Flow.finger)
                #expect(await Flow.evaluate(Flow.biometrics) == nil)
                let commands = flow.pinentry.commands.count
                func evaluate(allowing seconds: Double) async -> LAError.Code? {
                    let context = LAContext()
                    context.interactionNotAllowed = true
                    context.touchIDAuthenticationAllowableReuseDuration = seconds
                    return await Flow.evaluate(Flow.biometrics, context)
                }
                #expect(await evaluate(allowing: 0) == .notInteractive)
                #expect(await evaluate(allowing: 10) == nil)
                clock.advance(by: 11)
                #expect(await evaluate(allowing: 10) == .notInteractive)
                #expect(await evaluate(allowing: 300) == nil)
                clock.advance(by: 300)
                #expect(await evaluate(allowing: 1_000) == .notInteractive)
                #expect(flow.pinentry.commands.count == commands)
            }
        }
    }
}
