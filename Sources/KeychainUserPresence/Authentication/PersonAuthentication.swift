// SPDX-License-Identifier: Apache-2.0

import KeychainClient
package import KeychainModel

/// Has the user satisfy constraints: by a finger where one is enough, by the passcode where that is, or by both.
///
/// In one call each is asked for once.
package struct PersonAuthentication: Sendable {
    private let state: ContextState
    private let finger: FingerAuthenticator
    private let passcode: Authenticator
    private var asked: UserProofs = []

    package init(_ state: ContextState, reason: String?) {
        self.state = state
        finger = FingerAuthenticator(state, reason: reason)
        passcode = Authenticator(state, reason: reason)
    }

    /// Asks for what satisfies the constraints; by a finger alone only what its key opens.
    ///
    /// Answers whether something could be asked for that was not before.
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
                // A passcode that was proved before may be all that was missing.
                if state.authentication.isProved { return true }
            }
            try proveOwner(by: .passcode)
        }
        return asked != before
    }

    /// Asks for what satisfies the constraints, unless it is proved.
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

    private mutating func proveOwner(by ways: UserProofs) throws(AuthenticationError) {
        guard !asked.contains(.passcode) else { return }
        if ways.contains(.finger), !asked.contains(.finger) {
            asked.insert(.finger)
            if try !Self.proveEither(finger, passcode) { return }
        } else {
            try passcode.proveOwner()
        }
        asked.insert(.passcode)
    }

    /// Asks for a finger first, where there can be one, and for the passcode where that leads nowhere; answers whether
    /// it was the passcode.
    package static func proveEither(
        _ finger: FingerAuthenticator,
        _ passcode: Authenticator
    ) throws(AuthenticationError) -> Bool {
        do throws(FingerprintFailure) {
            try finger.proveOwner(offering: .atOnce)
            return false
        } catch {
            switch error {
            // The passcode would be asked for in the same place.
            case .cancelled, .timedOut, .cannotPrompt: throw AuthenticationError(error, finger.state)
            case .unavailable, .notEnrolled, .lockedOut, .busy, .notRecognized, .fallback:
                try passcode.proveOwner()
                return true
            }
        }
    }
}
