// SPDX-License-Identifier: Apache-2.0

import KeychainClient
package import KeychainModel

/// What a dictionary says about authentication.
package struct AuthenticationOptions {
    package enum Interface: String {
        case allow = "u_AuthUIA"
        case fail = "u_AuthUIF"
        case skip = "u_AuthUIS"
    }

    package var interface = Interface.allow
    package var isForbidden = false
    /// What the context knows; `nil` without a context.
    package var state: ContextState?
    package var prompt: String?

    package init() {}
}

/// A request and the authentications that it takes: asked without, and again after each.
///
/// Source: Apple's published Security sources.
package struct ItemAuthentication {
    private let options: AuthenticationOptions
    /// What the context knows, or what was proved for this call; nothing is, for most.
    private var state: ContextState?
    /// The user is asked once for one call.
    private var person: PersonAuthentication?
    /// Whether the sensor was asked in this call which fingers are enrolled.
    private var isSensorExamined = false
    private var hasTriedToReuse = false
    /// Whether the user typed the application password in this call.
    private var hasTypedPassword = false

    package init(_ options: AuthenticationOptions) {
        self.options = options
        state = options.state
    }

    /// For a request that has no dictionary; calls that share a state ask the user once.
    package init(_ state: ContextState) {
        options = AuthenticationOptions()
        self.state = state
    }

    /// Whether this program was built with the trait `Fingerprint`.
    package static var hasFingerprints: Bool { FingerprintPrompt.isBuiltIn }

    private func refuseInvalidContext() throws(StatusError) {
        guard let state, state.isInvalid else { return }
        throw StatusError(.authenticationFailed, .authenticationNeeded)
    }

    /// What changes that happen together have: for them nobody is asked.
    package mutating func forChanges(_ changes: [Request]) throws(StatusError) -> ChangeAuthentication {
        try refuseInvalidContext()
        examineSensor(for: changes)
        return ChangeAuthentication(authentication: authentication)
    }

    private var authentication: Authentication {
        state?.authentication(isExamined: isSensorExamined) ?? .none
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

    /// What a finger will open is sealed otherwise where there is one.
    private mutating func examineSensor(for changes: [Request]) {
        let controls = changes.flatMap(\.newAccessControls)
        guard controls.contains(where: { $0.isSatisfied(by: .everyFinger) || $0.isBoundToEnrolledSet }) else {
            return
        }
        _ = examineSensor()
    }

    /// Whether there is a sensor; nobody is asked.
    private mutating func examineSensor() -> Bool {
        let state = state ?? ContextState()
        self.state = state
        isSensorExamined = true
        try? FingerAuthenticator(state).examine()
        return state.finger.hasSensor
    }

    /// Whether the sensor has told something that may decide, while nobody is asked: that a finger was recognized just
    /// before, or which are enrolled.
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

    /// Has the person prove what a set of constraints demands.
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
        // What has just been found missing is not waited for again.
        guard !isSensorExamined || state.finger.hasSensor || control.isSatisfied(by: .passcode) else {
            throw StatusError(.authenticationFailed, .constraintUnsatisfiable)
        }
        var person = person ?? PersonAuthentication(state, reason: options.prompt)
        defer { self.person = person }
        let couldAsk: Bool
        do throws(AuthenticationError) {
            couldAsk = try person.prove(control, opensByFinger: opensByFinger)
        } catch {
            throw error.keychainError
        }
        guard couldAsk else { throw StatusError(.authenticationFailed, .constraintUnsatisfiable) }
    }

    /// Asks for an application password that the program did not supply; twice when adding an item.
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

    /// Discards a wrong password that the user typed, so that the next call asks again.
    private func forgetTypedPassword(after error: StatusError) {
        guard hasTypedPassword, error.reason == .applicationPasswordWrong else { return }
        state?.update { $0.with(applicationPassword: nil) }
    }

    /// Deleting demands no authentication, so a deletion that would need one to know what it means does not ask.
    private func mayAsk(for request: Request, _ state: ContextState) -> Bool {
        switch request {
        case .delete, .deleteEach, .deleteIdentities: false
        default: options.interface == .allow && !options.isForbidden && !state.interactionNotAllowed
        }
    }
}
