// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainUserPresence

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

    /// Throws if the policy cannot be satisfied on this system; does not prompt.
    func check() throws(AuthenticationError) {
        guard !state.isInvalid else { throw AuthenticationError(.invalidContext) }
        do throws(FingerprintFailure) {
            try finger.examine()
        } catch {
            if policy.wantsFinger { throw AuthenticationError(error, state) }
        }
        try requireOtherMeans()
    }

    /// Throws if the policy requires a companion, or if it requires a passcode and none is set.
    ///
    /// If the keychain cannot tell whether a passcode is set, this function assumes that none is set.
    private func requireOtherMeans() throws(AuthenticationError) {
        switch policy {
        case .deviceOwnerAuthenticationWithBiometrics, .deviceOwnerAuthenticationWithBiometricsOrCompanion:
            break
        case .deviceOwnerAuthentication: try requirePasscode()
        case .deviceOwnerAuthenticationWithCompanion: throw AuthenticationError(.companionNotAvailable)
        }
    }

    private func requirePasscode() throws(AuthenticationError) {
        guard (try? SystemKeychain.passcodeIsSet()) == true else {
            throw AuthenticationError(.passcodeNotSet)
        }
    }

    /// Authenticates the user as the policy requires, unless an earlier result satisfies the policy.
    func run() throws(AuthenticationError) {
        guard !state.isInvalid else { throw AuthenticationError(.invalidContext) }
        try requireOtherMeans()
        if policy.wantsFinger { try proveFinger() } else { try proveOwner() }
    }

    private func proveFinger() throws(AuthenticationError) {
        if finger.isProved { return }
        do throws(FingerprintFailure) {
            try finger.proveOwner(offering: .afterMiss)
        } catch {
            throw AuthenticationError(error, state)
        }
    }

    private func proveOwner() throws(AuthenticationError) {
        if state.authentication.isProved || finger.isProved { return }
        _ = try UserAuthentication.proveEither(finger, passcode)
    }
}

extension LAPolicy {
    /// Whether the policy accepts only a finger.
    fileprivate var wantsFinger: Bool {
        switch self {
        case .deviceOwnerAuthenticationWithBiometrics, .deviceOwnerAuthenticationWithBiometricsOrCompanion:
            true
        case .deviceOwnerAuthentication, .deviceOwnerAuthenticationWithCompanion: false
        }
    }
}
