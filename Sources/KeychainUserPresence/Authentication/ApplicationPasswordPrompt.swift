// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainClient
import KeychainModel

/// Asks the user for an application password that the program has not supplied.
struct ApplicationPasswordPrompt: Sendable {
    private let state: ContextState
    private let reason: String?
    private let settings: PinentrySettings

    /// The maximum number of times to ask for a new password and its repetition.
    private static let attempts = 3

    init(_ state: ContextState, reason: String?) {
        self.state = state
        self.reason = reason ?? state.reason
        settings = .current
    }

    /// Asks for the application password, twice for a new one, and stores it in the context.
    func ask(isNew: Bool) throws(AuthenticationError) {
        let password: SecretBytes
        do throws(PinentryFailure) {
            password = try isNew ? newPassword() : answer(to: "Application password:")
        } catch {
            throw state.isInvalid ? AuthenticationError(.appCancel) : AuthenticationError(error)
        }
        // The password is moved into the closure, which is called only once.
        var moved: SecretBytes? = consume password
        guard state.update({ $0.with(applicationPassword: moved.take()) }) else {
            throw AuthenticationError(.appCancel)
        }
    }

    private func newPassword() throws(PinentryFailure) -> SecretBytes {
        var error: String?
        for _ in 0..<Self.attempts {
            let first = try answer(to: "New application password:", error: error)
            let second = try answer(to: "Repeat the password:")
            if first.isEqual(to: second) { return first }
            error = "The passwords are not the same."
        }
        throw .cancelled
    }

    private func answer(
        to prompt: String,
        error: String? = nil
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
        if let user = settings.simulatedUser { return try user(dialog, error) }
        var pinentry = try Pinentry.start(dialog, settings) { [state] in state.isInvalid }
        return try pinentry.ask(error: error)
    }
}
