// SPDX-License-Identifier: Apache-2.0

import KeychainClient
package import KeychainModel

/// Authenticates the user with a finger, the passcode, or both, as an access control requires.
///
/// A value is created for each keychain call, and for each access control that an `LAContext` evaluates. It asks for
/// the finger at most once, and for the passcode at most once.
package struct UserAuthentication: Sendable {
    private let state: ContextState
    private let finger: FingerAuthenticator
    private let passcode: Authenticator
    private var asked: UserProofs = []

    package init(_ state: ContextState, reason: String?) {
        self.state = state
        finger = FingerAuthenticator(state, reason: reason)
        passcode = Authenticator(state, reason: reason)
    }

    /// Asks for a finger, the passcode or both, as the access control requires.
    ///
    /// If `opensByFinger` is false, a finger alone cannot decrypt the item and is not requested alone. Returns false
    /// if nothing is left to ask for that could satisfy the access control.
    mutating func prove(_ control: AccessControl, opensByFinger: Bool) throws(AuthenticationError) -> Bool {
        let before = asked
        let isFingerEnough = opensByFinger && control.isSatisfied(by: .everyFinger)
        if control.isSatisfied(by: .passcode) {
            try proveOwner(by: isFingerEnough ? [.passcode, .finger] : .passcode)
        } else if isFingerEnough {
            try proveFinger()
        } else if control.isSatisfied(by: [.passcode, .everyFinger]) {
            if state.finger.recognized == nil {
                try proveFinger()
                // Do not ask for a passcode that was already verified for this context.
                if state.authentication.isProved { return true }
            }
            try proveOwner(by: .passcode)
        }
        return asked != before
    }

    /// Asks for a finger, the passcode or both, unless earlier results satisfy the access control.
    package mutating func proveUnlessProved(_ control: AccessControl) throws(AuthenticationError) {
        var proofs: UserProofs = state.authentication.isProved ? .passcode : []
        if control.isSatisfied(by: proofs) { return }
        if finger.isProved { proofs.formUnion(.everyFinger) }
        if control.isSatisfied(by: proofs) { return }
        guard try prove(control, opensByFinger: true) else {
            throw AuthenticationError(.biometryNotAvailable)
        }
    }

    private mutating func proveFinger() throws(AuthenticationError) {
        guard !asked.contains(.finger) else { return }
        asked.insert(.finger)
        do throws(FingerprintFailure) {
            try finger.proveOwner(offering: .never)
        } catch {
            throw AuthenticationError(error, state)
        }
    }

    private mutating func proveOwner(by proofs: UserProofs) throws(AuthenticationError) {
        guard !asked.contains(.passcode) else { return }
        if proofs.contains(.finger), !asked.contains(.finger) {
            asked.insert(.finger)
            if try !Self.proveEither(finger, passcode) { return }
        } else {
            try passcode.proveOwner()
        }
        asked.insert(.passcode)
    }

    /// Asks for a finger, or else for the passcode; returns whether the passcode was used.
    package static func proveEither(
        _ finger: FingerAuthenticator,
        _ passcode: Authenticator
    ) throws(AuthenticationError) -> Bool {
        do throws(FingerprintFailure) {
            try finger.proveOwner(offering: .atOnce)
            return false
        } catch {
            switch error {
            // Do not ask for the passcode: the user or the program cancelled, the user is absent, or no dialog can
            // be shown.
            case .cancelled, .timedOut, .cannotPrompt: throw AuthenticationError(error, finger.state)
            case .unavailable, .notEnrolled, .lockedOut, .busy, .notRecognized, .fallback:
                try passcode.proveOwner()
                return true
            }
        }
    }
}
