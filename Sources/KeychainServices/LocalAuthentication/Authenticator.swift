// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel
import KeychainUserPresence

/// Asks a person for the passcode, on behalf of one context; nothing is locked meanwhile.
struct Authenticator: Sendable {
    let state: ContextState
    let reason: String?
    let settings: PinentrySettings
    private let fingerprint: FingerprintSettings

    /// How many answers may be wrong before it is over.
    private static let attempts = 3

    init(_ state: ContextState, reason: String?) {
        self.state = state
        self.reason = reason ?? state.reason
        settings = .current
        fingerprint = .current
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
        fingerprint.history.forgetMisses()
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
        do throws(StatusError) {
            let proved = try state.authentication.proving(answer)
            state.update { _ in proved }
            return .right
        } catch {
            // For everything else, as too many guesses, another answer would be no better.
            return [.passcodeWrong, .passcodeMalformed].contains(error.reason) ? .wrong : .hopeless
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

    private static func code(of failure: PinentryFailure) -> LAError.Code {
        switch failure {
        case .cancelled, .stopped: .userCancel
        case .timedOut: .systemCancel
        case .unavailable: .notInteractive
        }
    }

    private func isPasscodeSet() throws(LAError) -> Bool {
        do throws(StatusError) {
            return try SystemKeychain.passcodeIsSet()
        } catch {
            throw LAError(.authenticationFailed)
        }
    }
}
