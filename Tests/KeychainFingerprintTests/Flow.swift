// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainServices
import KeychainStore
import KeychainTestSupport
import KeychainUserPresence
import Testing

/// A simulated user with fingers at a simulated sensor, for one test.
struct Flow: Sendable {
    static let finger = "right-index-finger"
    static let biometrics = LAPolicy.deviceOwnerAuthenticationWithBiometrics
    static let owner = LAPolicy.deviceOwnerAuthentication

    let machine: SensorMachine
    let service: ChildProcess
    let pinentry: ScriptedPinentry
    let history: FingerprintHistory
    /// The time limit for the sensor in milliseconds; `nil` for the default.
    var waitLimit: Int?

    /// Runs a test in a keychain with a passcode, by default with one enrolled finger.
    static func run(
        answers: [ScriptedPinentry.Answer] = [],
        presses: [ScriptedPinentry.Answer] = [],
        hasSensor: Bool = true,
        enrolled: [String] = [finger],
        history: FingerprintHistory = FingerprintHistory(),
        waitLimit: Int? = nil,
        _ body: @Sendable (Flow) async throws -> Void
    ) async throws {
        let machine = try #require(SensorMachine.current)
        let pinentry = try ScriptedPinentry(answers, presses: presses)
        try SearchedKeychain.setPasscode(SecretBytes(SearchedKeychain.passcode))
        try await machine.withService(hasSensor: hasSensor) { service in
            for finger in enrolled { try machine.enroll(finger) }
            var flow = Flow(machine: machine, service: service, pinentry: pinentry, history: history)
            flow.waitLimit = waitLimit
            let simulated = flow
            try await simulated.asking { try await body(simulated) }
        }
    }

    /// Calls `body` while the API's prompts are shown to this user; `change` adjusts the pinentry settings.
    func asking(
        _ change: @Sendable (inout PinentrySettings) -> Void = { _ in },
        _ body: @Sendable () async throws -> Void
    ) async rethrows {
        var place = pinentry.settings
        change(&place)
        var sensor = machine.settings(history)
        sensor.waitLimit = waitLimit
        try await FingerprintSettings.$override.withValue(sensor) {
            try await PinentrySettings.$override.withValue(place, operation: body)
        }
    }

    /// Evaluates a policy and returns the error, or `nil` on success.
    static func evaluate(
        _ policy: LAPolicy,
        _ context: LAContext = LAContext()
    ) async -> LAError.Code? {
        await begin(policy, context).code
    }

    /// The result of a policy evaluation that is still running.
    struct Answer: Sendable {
        fileprivate let answers: AsyncStream<LAError.Code?>

        var code: LAError.Code? {
            get async { await answers.first { _ in true } ?? .systemCancel }
        }
    }

    /// Starts evaluating a policy.
    ///
    /// `evaluatePolicy` with a completion handler uses its own thread: the test blocks a pool thread while it waits.
    static func begin(_ policy: LAPolicy, _ context: LAContext = LAContext()) -> Answer {
        let (answers, continuation) = AsyncStream.makeStream(of: LAError.Code?.self)
        context.evaluatePolicy(policy, localizedReason: "to test a finger") { success, error in
            continuation.yield(success ? nil : (error as? LAError)?.code)
            continuation.finish()
        }
        return Answer(answers: answers)
    }

    /// Returns why a policy cannot be evaluated, or `nil` if it can; shows no prompt.
    static func check(_ policy: LAPolicy, _ context: LAContext = LAContext()) -> LAError.Code? {
        var error: NSError?
        return context.canEvaluatePolicy(policy, error: &error)
            ? nil : error.flatMap { LAError.Code(rawValue: $0.code) }
    }

    /// Waits until the dialog shows this string.
    func reads(_ text: String) throws {
        try SensorMachine.wait(for: "“\(text)” on the screen") {
            let commands = pinentry.commands
            guard let shown = commands.lastIndex(where: { $0.hasPrefix("SETDESC ") && $0.contains(text) })
            else { return false }
            return commands[shown...].contains { $0.hasPrefix("CONFIRM") }
        }
    }

    /// Waits until the sensor expects a finger, and touches it.
    func touches(_ finger: String) throws {
        try machine.awaitFinger()
        try machine.sensor.tell("SCAN \(finger)")
    }
}
