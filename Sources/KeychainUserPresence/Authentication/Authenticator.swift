// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel

/// Asks the user for the passcode, without holding any lock.
package struct Authenticator: Sendable {
    let state: ContextState
    let reason: String?
    let settings: PinentrySettings
    private let fingerprint: FingerprintSettings

    /// The number of wrong answers that ends the prompt.
    private static let attempts = 3

    package init(_ state: ContextState, reason: String?) {
        self.state = state
        self.reason = reason ?? state.reason
        settings = .current
        fingerprint = .current
    }

    /// Asks for the passcode, and stores the authentication result in the context.
    ///
    /// The daemon's agent asks if there is one. Otherwise, this program prompts at most three times.
    package func proveOwner() throws(AuthenticationError) {
        guard !state.isInvalid else { throw AuthenticationError(.invalidContext) }
        guard try isPasscodeSet() else { throw AuthenticationError(.passcodeNotSet) }
        guard !state.interactionNotAllowed else { throw AuthenticationError(.notInteractive) }
        if try isProvedByAgent() { return }
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

    /// Lets the daemon's agent, a separate program, ask for the passcode.
    ///
    /// - Returns: `false` if there is no such agent, so that this program must ask.
    private func isProvedByAgent() throws(AuthenticationError) -> Bool {
        let outcome: PasscodeAgent.Outcome
        do throws(PasscodeAgent.Failure) {
            outcome = try PasscodeAgent.ask(for: .authenticate, reason: reason, settings) { [state] in
                state.isInvalid
            }
        } catch {
            guard !state.isInvalid else { throw AuthenticationError(.appCancel) }
            switch error {
            case .prompt(let failure): throw AuthenticationError(failure)
            case .keychain(let error): throw AuthenticationError(.authenticationFailed, cause: error)
            }
        }
        guard case .correct(let key) = outcome else { return false }
        guard let key, state.update({ $0.with(kept: key) }) else { throw AuthenticationError(.appCancel) }
        fingerprint.history.resetMisses()
        return true
    }

    private enum Outcome {
        case authenticated
        case refused(StatusError)
    }

    /// Prompts up to three times; returns the last error if no answer was correct.
    private func ask() throws(PinentryFailure) -> Outcome {
        if let user = settings.simulatedUser {
            let dialog = dialog
            return try ask { retryMessage throws(PinentryFailure) in try user(dialog, retryMessage) }
        }
        var pinentry = try Pinentry.start(dialog, settings) { [state] in state.isInvalid }
        return try ask { retryMessage throws(PinentryFailure) in try pinentry.ask(error: retryMessage) }
    }

    private func ask(
        _ answer: (_ retryMessage: String?) throws(PinentryFailure) -> SecretBytes
    ) throws(PinentryFailure) -> Outcome {
        var retryMessage: String?
        var last = StatusError(.authenticationFailed, .passcodeWrong)
        for _ in 0..<Self.attempts {
            guard let error = refusal(of: try answer(retryMessage)) else { return .authenticated }
            last = error
            // After any error other than a wrong or malformed passcode, such as too many attempts, prompting again
            // is useless.
            guard [.passcodeWrong, .passcodeMalformed].contains(error.reason) else { break }
            retryMessage = "The passcode is wrong."
        }
        return .refused(last)
    }

    /// Checks an answer: stores the result of the correct passcode and returns `nil`, or returns the error.
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

    /// Returns the text of a prompt: the program's name, what it asks for, and its reason.
    static func description(asking what: String, reason: String?) -> String {
        // Quotes and line breaks in the program's name must not make the name look like part of the prompt.
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
