// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel

/// Asks the user for the passcode, on behalf of one context; nothing is locked meanwhile.
package struct Authenticator: Sendable {
    let state: ContextState
    let reason: String?
    let settings: PinentrySettings
    private let fingerprint: FingerprintSettings

    /// How many answers may be wrong before it is over.
    private static let attempts = 3

    package init(_ state: ContextState, reason: String?) {
        self.state = state
        self.reason = reason ?? state.reason
        settings = .current
        fingerprint = .current
    }

    /// Asks until the answer is right, and leaves the proof with the context.
    package func proveOwner() throws(AuthenticationError) {
        guard !state.isInvalid else { throw AuthenticationError(.invalidContext) }
        guard try isPasscodeSet() else { throw AuthenticationError(.passcodeNotSet) }
        guard !state.interactionNotAllowed else { throw AuthenticationError(.notInteractive) }
        let outcome: Outcome
        do throws(PinentryFailure) {
            outcome = try ask()
        } catch {
            throw state.isInvalid ? AuthenticationError(.appCancel) : AuthenticationError(error)
        }
        guard !state.isInvalid else { throw AuthenticationError(.appCancel) }
        if case .refused(let cause) = outcome {
            throw AuthenticationError(.authenticationFailed, cause: cause)
        }
        fingerprint.history.resetMisses()
    }

    private enum Outcome {
        case proved
        case refused(StatusError)
    }

    /// Asks a few times; returns whether an answer was right.
    private func ask() throws(PinentryFailure) -> Outcome {
        if let person = settings.simulatedUser {
            let dialog = dialog
            return try ask { complaint throws(PinentryFailure) in try person(dialog, complaint) }
        }
        var pinentry = try Pinentry.start(dialog, settings) { [state] in state.isInvalid }
        return try ask { complaint throws(PinentryFailure) in try pinentry.ask(error: complaint) }
    }

    private func ask(
        _ answer: (_ complaint: String?) throws(PinentryFailure) -> SecretBytes
    ) throws(PinentryFailure) -> Outcome {
        var complaint: String?
        var last = StatusError(.authenticationFailed, .passcodeWrong)
        for _ in 0..<Self.attempts {
            guard let error = refusal(of: try answer(complaint)) else { return .proved }
            last = error
            // After any other error, such as too many attempts, asking again is useless.
            guard [.passcodeWrong, .passcodeMalformed].contains(error.reason) else { break }
            complaint = "The passcode is wrong."
        }
        return .refused(last)
    }

    /// Why an answer was rejected; `nil` for the right passcode, whose authentication result the context keeps.
    private func refusal(of answer: borrowing SecretBytes) -> StatusError? {
        do throws(StatusError) {
            let proved = try state.authentication.proving(answer)
            state.update { _ in proved }
            return nil
        } catch {
            return error
        }
    }

    private var dialog: PinentryDialog {
        PinentryDialog(
            title: "Keychain",
            description: Self.description(asking: "the passcode of the keychain", reason: reason),
            prompt: "Passcode:",
            cancelTitle: state.cancelTitle
        )
    }

    /// Who asks for what, and why.
    static func description(asking what: String, reason: String?) -> String {
        // A name with quotes or lines of its own shall not end the sentence and begin another.
        let name = SystemKeychain.programName.map { $0.isNewline ? " " : "“”\"".contains($0) ? "'" : $0 }
        let request = "The program “\(String(name))” asks for \(what)."
        return reason.map { "\(request)\n\n\($0)" } ?? request
    }

    private func isPasscodeSet() throws(AuthenticationError) -> Bool {
        do throws(StatusError) {
            return try SystemKeychain.passcodeIsSet()
        } catch {
            throw AuthenticationError(.authenticationFailed, cause: error)
        }
    }
}
