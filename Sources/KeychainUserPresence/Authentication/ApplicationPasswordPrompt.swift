// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainClient
import KeychainModel

/// Asks the user for an application password that the program has not supplied, on behalf of one context.
struct ApplicationPasswordPrompt: Sendable {
    private let state: ContextState
    private let reason: String?
    private let settings: PinentrySettings

    /// The number of attempts to type a new password the same twice.
    private static let attempts = 3

    init(_ state: ContextState, reason: String?) {
        self.state = state
        self.reason = reason ?? state.reason
        settings = .current
    }

    /// Asks once, or twice for a new password, and stores the answer in the context.
    func ask(isNew: Bool) throws(AuthenticationError) {
        let password: SecretBytes
        do throws(PinentryFailure) {
            password = try isNew ? newPassword() : answer(to: "Application password:")
        } catch {
            throw state.isInvalid ? AuthenticationError(.appCancel) : AuthenticationError(error)
        }
        // Moved into the closure, which is called once.
        var moved: SecretBytes? = consume password
        guard state.update({ $0.with(applicationPassword: moved.take()) }) else {
            throw AuthenticationError(.appCancel)
        }
    }

    private func newPassword() throws(PinentryFailure) -> SecretBytes {
        var complaint: String?
        for _ in 0..<Self.attempts {
            let first = try answer(to: "New application password:", complaining: complaint)
            let second = try answer(to: "Repeat the password:")
            if first.isEqual(to: second) { return first }
            complaint = "The passwords are not the same."
        }
        throw .cancelled
    }

    /// Shows one dialog.
    private func answer(
        to prompt: String,
        complaining complaint: String? = nil
    ) throws(PinentryFailure) -> SecretBytes {
        let dialog = PinentryDialog(
            title: "Keychain",
            description: Authenticator.description(
                asking: "the application password of an item",
                reason: reason
            ),
            prompt: prompt,
            cancelTitle: state.cancelTitle
        )
        if let person = settings.simulatedUser { return try person(dialog, complaint) }
        var pinentry = try Pinentry.start(dialog, settings) { [state] in state.isInvalid }
        return try pinentry.ask(error: complaint)
    }
}
