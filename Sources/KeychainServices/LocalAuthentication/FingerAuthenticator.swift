// SPDX-License-Identifier: Apache-2.0

import Fingerprint
import KeychainModel
import KeychainTransport
import Pinentry

/// Asks a person for a finger, on behalf of one context.
struct FingerAuthenticator: Sendable {
    let state: ContextState
    let reason: String?
    let settings: FingerprintSettings
    let place: PinentrySettings

    init(_ state: ContextState, reason: String? = nil) {
        self.state = state
        self.reason = reason ?? state.reason
        settings = .current
        place = .current
    }

    /// Whether a finger was recognized for this context, or so shortly before for another that it counts.
    var isProved: Bool {
        let longest = LATouchIDAuthenticationMaximumAllowableReuseDuration
        return !state.isInvalid
            && (state.finger.isRecognized
                || settings.history.hasMatch(within: min(state.reuseDuration, longest)))
    }

    /// Whether a finger could be recognized; what is known of the sensor is left with the context.
    func examine() throws(FingerprintFailure) {
        let enrolled: EnrolledFingers
        do throws(FingerprintFailure) {
            enrolled = try FingerprintPrompt.enrolled(settings)
        } catch {
            state.keep(hasSensor: false, enrolled: nil)
            throw error
        }
        state.keep(hasSensor: true, enrolled: enrolled.fingers.isEmpty ? nil : enrolled.digest)
        guard !enrolled.fingers.isEmpty else { throw .notEnrolled }
        guard !settings.history.isLockedOut else { throw .lockedOut }
    }

    /// Asks until a finger is recognized, and leaves the proof with the context; what else could be done may be offered
    /// only after a finger was wrong.
    func proveOwner(hidesFallbackAtFirst: Bool) throws(FingerprintFailure) {
        // Where nobody can be asked, the sensor is not either.
        let canAsk = place.canAsk || place.person != nil
        guard !state.interactionNotAllowed, canAsk else { throw .cannotPrompt }
        try examine()
        var dialog = FingerprintDialog(
            title: "Keychain",
            description: Authenticator.description(asking: "a fingerprint", reason: reason)
        )
        dialog.cancelTitle = state.cancelTitle
        let fallback = state.fallbackTitle ?? "Enter Passcode"
        dialog.fallbackTitle = fallback.isEmpty ? nil : fallback
        dialog.hidesFallbackAtFirst = hidesFallbackAtFirst
        let prompt = FingerprintPrompt(dialog, settings, at: place) { [state] in state.isInvalid }
        let enrolled = try prompt.ask()
        guard state.keepRecognized(among: enrolled.digest) else { throw .cancelled }
    }
}

extension EnrolledFingers {
    var digest: Bytes32 { SystemKeychain.digest(ofFingers: fingers, of: user, at: sensor) }
}

extension LAError {
    /// Why no finger was recognized, as the context's user is told.
    init(_ failure: FingerprintFailure, _ state: ContextState) {
        let code: Code =
            switch failure {
            case .unavailable: .biometryNotAvailable
            case .notEnrolled: .biometryNotEnrolled
            case .lockedOut: .biometryLockout
            case .notRecognized: .authenticationFailed
            case .fallback: .userFallback
            case .cancelled: state.isInvalid ? .appCancel : .userCancel
            case .busy, .timedOut: .systemCancel
            case .cannotPrompt: .notInteractive
            }
        self.init(code)
    }
}
