// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainUserPresence

/// A policy and what a context knows: whether it can be satisfied, and having it satisfied.
struct PolicyEvaluation: Sendable {
    private let policy: LAPolicy
    private let state: ContextState
    private let finger: FingerAuthenticator
    private let passcode: Authenticator

    init(_ policy: LAPolicy, _ state: ContextState, reason: String? = nil) {
        self.policy = policy
        self.state = state
        finger = FingerAuthenticator(state, reason: reason)
        passcode = Authenticator(state, reason: reason)
    }

    /// Says why the policy cannot be satisfied on this machine; nobody is asked.
    func check() throws(LAError) {
        guard !state.isInvalid else { throw LAError(.invalidContext) }
        do throws(FingerprintFailure) {
            try finger.examine()
        } catch {
            if policy.wantsFinger { throw LAError(error, state) }
        }
        try requireOtherMeans()
    }

    /// What the policy takes beside a finger must be there.
    private func requireOtherMeans() throws(LAError) {
        switch policy {
        case .deviceOwnerAuthenticationWithBiometrics, .deviceOwnerAuthenticationWithBiometricsOrCompanion:
            break
        case .deviceOwnerAuthentication: try requirePasscode()
        case .deviceOwnerAuthenticationWithCompanion: throw LAError(.companionNotAvailable)
        }
    }

    private func requirePasscode() throws(LAError) {
        guard (try? SystemKeychain.passcodeIsSet()) == true else { throw LAError(.passcodeNotSet) }
    }

    /// Asks for what the policy takes, unless it is proved.
    func run() throws(LAError) {
        guard !state.isInvalid else { throw LAError(.invalidContext) }
        try requireOtherMeans()
        if policy.wantsFinger { try proveFinger() } else { try proveOwner() }
    }

    private func proveFinger() throws(LAError) {
        if finger.isProved { return }
        do throws(FingerprintFailure) {
            try finger.proveOwner(offering: .afterMiss)
        } catch {
            throw LAError(error, state)
        }
    }

    private func proveOwner() throws(LAError) {
        if state.authentication.isProved || finger.isProved { return }
        _ = try PersonAuthentication.proveEither(finger, passcode)
    }
}

extension LAPolicy {
    /// Whether nothing but a finger will do.
    fileprivate var wantsFinger: Bool {
        switch self {
        case .deviceOwnerAuthenticationWithBiometrics, .deviceOwnerAuthenticationWithBiometricsOrCompanion:
            true
        case .deviceOwnerAuthentication, .deviceOwnerAuthenticationWithCompanion: false
        }
    }
}
