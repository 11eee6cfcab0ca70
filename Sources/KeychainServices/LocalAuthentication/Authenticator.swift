// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainTransport
import Pinentry
import PrivateFiles

/// Asks a person for the passcode, on behalf of one context; nothing is locked meanwhile.
struct Authenticator: Sendable {
    let state: ContextState
    let reason: String?
    let settings: PinentrySettings

    /// How many answers may be wrong before it is over.
    private static let attempts = 3

    init(_ state: ContextState, reason: String?) {
        self.state = state
        self.reason = reason ?? state.reason
        settings = .current
    }

    /// Asks until the answer is right, and leaves the proof with the context.
    func proveOwner() throws(LAError) {
        guard !state.isInvalid else { throw LAError(.invalidContext) }
        guard try isPasscodeSet() else { throw LAError(.passcodeNotSet) }
        guard !state.interactionNotAllowed else { throw LAError(.notInteractive) }
        let isRight: Bool
        do throws(PinentryFailure) {
            isRight = try ask()
        } catch {
            throw LAError(state.isInvalid ? .appCancel : Self.code(of: error))
        }
        guard !state.isInvalid else { throw LAError(.appCancel) }
        guard isRight else { throw LAError(.authenticationFailed) }
    }

    private enum Verdict { case right, wrong, hopeless }

    /// Whether one of a few answers was right.
    private func ask() throws(PinentryFailure) -> Bool {
        if let person = settings.person {
            let dialog = dialog
            return try ask { complaint throws(PinentryFailure) in try person(dialog, complaint) }
        }
        var pinentry = try Pinentry.start(dialog, settings) { [state] in state.isInvalid }
        return try ask { complaint throws(PinentryFailure) in try pinentry.ask(complaining: complaint) }
    }

    private func ask(
        _ answer: (_ complaint: String?) throws(PinentryFailure) -> SecretBytes
    ) throws(PinentryFailure) -> Bool {
        var complaint: String?
        for _ in 0..<Self.attempts {
            switch verdict(on: try answer(complaint)) {
            case .right: return true
            case .wrong: complaint = "The passcode is wrong."
            case .hopeless: return false
            }
        }
        return false
    }

    private func verdict(on answer: borrowing SecretBytes) -> Verdict {
        do throws(KeychainError) {
            let proved = try state.authentication.proving(answer)
            state.update { _ in proved }
            return .right
        } catch {
            // For everything else, as too many guesses, another answer would be no better.
            return [.passcodeWrong, .passcodeMalformed].contains(error.reason) ? .wrong : .hopeless
        }
    }

    private var dialog: PinentryDialog {
        let program = SystemKeychain.programName
        let request = "The program “\(program)” asks for the passcode of the keychain."
        return PinentryDialog(
            title: "Keychain",
            description: reason.map { "\(request)\n\n\($0)" } ?? request,
            prompt: "Passcode:",
            cancelTitle: state.cancelTitle
        )
    }

    private static func code(of failure: PinentryFailure) -> LAError.Code {
        switch failure {
        case .cancelled: .userCancel
        case .timedOut: .systemCancel
        case .unavailable: .notInteractive
        }
    }

    private func isPasscodeSet() throws(LAError) -> Bool {
        do throws(KeychainError) {
            return try SystemKeychain.passcodeIsSet()
        } catch {
            throw LAError(.authenticationFailed)
        }
    }
}
