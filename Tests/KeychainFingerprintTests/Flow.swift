// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainServices
import KeychainStore
import KeychainTestSupport
import KeychainUserPresence
import Testing

/// The user with fingers at a machine with a sensor, for one test.
struct Flow: Sendable {
    static let finger = "right-index-finger"
    static let biometrics = LAPolicy.deviceOwnerAuthenticationWithBiometrics
    static let owner = LAPolicy.deviceOwnerAuthentication

    let machine: SensorMachine
    let service: ChildProcess
    let pinentry: ScriptedPinentry
    let history: FingerprintHistory
    /// The milliseconds for which the sensor is waited for, where it is not as long as ever.
    var waitLimit: Int?

    /// Runs a test with a service that knows one finger, and a passcode.
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
            let person = flow
            try await person.asking { try await body(person) }
        }
    }

    /// Has the functions of the API ask this person; a test changes how.
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

    /// Why a policy was not satisfied; `nil` where it was.
    static func evaluate(
        _ policy: LAPolicy,
        _ context: LAContext = LAContext()
    ) async -> LAError.Code? {
        await begin(policy, context).code
    }

    /// The answer to a question that was begun, once somebody has given it.
    struct Answer: Sendable {
        fileprivate let answers: AsyncStream<LAError.Code?>

        var code: LAError.Code? {
            get async { await answers.first { _ in true } ?? .systemCancel }
        }
    }

    /// Begins to evaluate a policy, in no task: the test blocks a thread of the pool while it waits for what is shown.
    static func begin(_ policy: LAPolicy, _ context: LAContext = LAContext()) -> Answer {
        let (answers, continuation) = AsyncStream.makeStream(of: LAError.Code?.self)
        context.evaluatePolicy(policy, localizedReason: "to test a finger") { success, error in
            continuation.yield(success ? nil : (error as? LAError)?.code)
            continuation.finish()
        }
        return Answer(answers: answers)
    }

    /// What would be the answer; nobody is asked.
    static func check(_ policy: LAPolicy, _ context: LAContext = LAContext()) -> LAError.Code? {
        var error: NSError?
        return context.canEvaluatePolicy(policy, error: &error)
            ? nil : error.flatMap { LAError.Code(rawValue: $0.code) }
    }

    /// Waits until the person reads something.
    func reads(_ text: String) throws {
        try SensorMachine.wait(for: "“\(text)” on the screen") {
            let commands = pinentry.commands
            guard let shown = commands.lastIndex(where: { $0.hasPrefix("SETDESC ") && $0.contains(text) })
            else { return false }
            return commands[shown...].contains { $0.hasPrefix("CONFIRM") }
        }
    }

    /// Touches the sensor as soon as it waits for a finger.
    func touches(_ finger: String) throws {
        try machine.awaitFinger()
        try machine.sensor.tell("SCAN \(finger)")
    }
}
