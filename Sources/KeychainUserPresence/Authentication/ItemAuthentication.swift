// SPDX-License-Identifier: Apache-2.0

import KeychainClient
package import KeychainModel

/// The authentication options of a query dictionary.
package struct AuthenticationOptions {
    package enum Interface: String {
        case allow = "u_AuthUIA"
        case fail = "u_AuthUIF"
        case skip = "u_AuthUIS"
    }

    package var interface = Interface.allow
    /// Whether the deprecated `kSecUseNoAuthenticationUI` forbids prompts.
    package var isForbidden = false
    /// The state of the `LAContext`; `nil` without one.
    package var state: ContextState?
    package var prompt: String?

    package init() {}
}

/// Performs a request, authenticating the user if the access control of an item requires it.
///
/// The request is first performed without prompting, and repeated after each authentication. Source: Apple's
/// published Security sources.
package struct ItemAuthentication {
    private let options: AuthenticationOptions
    /// The state that holds the authentication results: that of the `LAContext`, if there is one.
    ///
    /// Without an `LAContext`, it is `nil` until this call queries the sensor or asks the user.
    private var state: ContextState?
    /// The authentication in this call, which remembers what the user was already asked for.
    private var user: UserAuthentication?
    /// Whether the enrolled fingers were queried in this call.
    private var isSensorExamined = false
    private var hasTriedToReuse = false
    /// Whether the user typed the application password in this call.
    private var hasTypedPassword = false

    package init(_ options: AuthenticationOptions) {
        self.options = options
        state = options.state
    }

    /// Authenticates requests without a query dictionary; requests with the same `state` share authentication
    /// results.
    package init(_ state: ContextState) {
        options = AuthenticationOptions()
        self.state = state
    }

    /// Whether this build has the package trait `Fingerprint`.
    package static var hasFingerprints: Bool { FingerprintPrompt.isBuiltIn }

    private func refuseInvalidContext() throws(StatusError) {
        guard let state, state.isInvalid else { return }
        throw StatusError(.authenticationFailed, .authenticationNeeded)
    }

    /// Returns the existing authentication results, for changes in one non-interactive transaction.
    package mutating func forChanges(_ changes: [Request]) throws(StatusError) -> ChangeAuthentication {
        try refuseInvalidContext()
        examineSensor(for: changes)
        return ChangeAuthentication(authentication: authentication)
    }

    private var authentication: Authentication {
        state?.authentication(isExamined: isSensorExamined) ?? .none
    }

    /// Performs a request with the options of a query.
    ///
    /// A read without an `LAContext` is first attempted without preparing for authentication, because few reads need
    /// authentication.
    package static func perform(
        _ request: Request,
        with options: AuthenticationOptions
    ) throws(StatusError) -> Response {
        if options.state == nil, !request.isChange {
            do throws(StatusError) {
                return try SystemKeychain.perform(request)
            } catch {
                guard error.unsatisfiedFlags != nil else { throw error }
            }
        }
        var call = Self(options)
        return try call.perform(request)
    }

    package mutating func perform(_ request: Request) throws(StatusError) -> Response {
        try refuseInvalidContext()
        if request.isChange { examineSensor(for: [request]) }
        while true {
            do throws(StatusError) {
                return try SystemKeychain.perform(request, with: authentication)
            } catch {
                guard let flags = error.unsatisfiedFlags else {
                    forgetTypedPassword(after: error)
                    throw error
                }
                let control = AccessControl(protection: .always, flags: flags)
                if hasLearned(of: control) { continue }
                try satisfy(control, opensByFinger: error.reason == .fingerSuffices, for: request)
            }
        }
    }

    /// Queries the sensor if a change seals an item for the enrolled fingers.
    private mutating func examineSensor(for changes: [Request]) {
        let controls = changes.flatMap(\.newAccessControls)
        guard controls.contains(where: { $0.isSatisfied(by: .everyFinger) || $0.isBoundToEnrolledSet }) else {
            return
        }
        _ = examineSensor()
    }

    /// Queries the sensor and the enrolled fingers without a prompt; returns whether there is a sensor.
    private mutating func examineSensor() -> Bool {
        let state = state ?? ContextState()
        self.state = state
        isSensorExamined = true
        try? FingerAuthenticator(state).examine()
        return state.finger.hasSensor
    }

    /// Gets information about fingers without a prompt; returns whether to repeat the request with this information.
    ///
    /// The information is a finger that was recently recognized, or the current set of enrolled fingers.
    private mutating func hasLearned(of control: AccessControl) -> Bool {
        guard control.isSatisfied(by: [.passcode, .everyFinger]) else { return false }
        if !hasTriedToReuse, let state, state.finger.recognized == nil {
            hasTriedToReuse = true
            if FingerAuthenticator(state).reuse() {
                isSensorExamined = true
                return true
            }
        }
        return control.isBoundToEnrolledSet && !isSensorExamined && examineSensor()
    }

    /// Asks the user for what the access control still requires: password, finger or passcode.
    private mutating func satisfy(
        _ control: AccessControl,
        opensByFinger: Bool,
        for request: Request
    ) throws(StatusError) {
        let state = state ?? ContextState()
        self.state = state
        guard mayAsk(for: request, state) else {
            throw StatusError(.interactionNotAllowed, .authenticationNeeded)
        }
        if control.needsApplicationPassword, !state.authentication.hasApplicationPassword {
            return try askForApplicationPassword(for: request, state)
        }
        // If the sensor was just found missing, do not wait for it again.
        guard !isSensorExamined || state.finger.hasSensor || control.isSatisfied(by: .passcode) else {
            throw StatusError(.authenticationFailed, .constraintUnsatisfiable)
        }
        var user = user ?? UserAuthentication(state, reason: options.prompt)
        defer { self.user = user }
        let couldAsk: Bool
        do throws(AuthenticationError) {
            couldAsk = try user.prove(control, opensByFinger: opensByFinger)
        } catch {
            throw error.keychainError
        }
        guard couldAsk else { throw StatusError(.authenticationFailed, .constraintUnsatisfiable) }
    }

    /// Asks for the application password that the program did not supply; twice if it is new.
    private mutating func askForApplicationPassword(
        for request: Request,
        _ state: ContextState
    ) throws(StatusError) {
        let isNew = request.newAccessControls.contains(where: \.needsApplicationPassword)
        do throws(AuthenticationError) {
            try ApplicationPasswordPrompt(state, reason: options.prompt).ask(isNew: isNew)
        } catch {
            throw error.keychainError
        }
        hasTypedPassword = true
    }

    /// Discards a wrong application password that the user typed, so that the next call asks again.
    private func forgetTypedPassword(after error: StatusError) {
        guard hasTypedPassword, error.reason == .applicationPasswordWrong else { return }
        state?.update { $0.with(applicationPassword: nil) }
    }

    /// Whether the request may prompt.
    ///
    /// Deletions never prompt, even if an item must be decrypted to match it.
    private func mayAsk(for request: Request, _ state: ContextState) -> Bool {
        switch request {
        case .delete, .deleteEach, .deleteIdentities: false
        default: options.interface == .allow && !options.isForbidden && !state.interactionNotAllowed
        }
    }
}
