// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel

/// Asks the user for a fingerprint, and stores the result in a context.
package struct FingerAuthenticator: Sendable {
    let state: ContextState
    let reason: String?
    let settings: FingerprintSettings
    let pinentry: PinentrySettings

    package init(_ state: ContextState, reason: String? = nil) {
        self.state = state
        self.reason = reason ?? state.reason
        settings = .current
        pinentry = .current
    }

    /// The maximum time for which another context can reuse a recognized finger, in seconds.
    package static let maximumReuse = 300.0

    /// Whether a finger was recognized for this context, or for another one recently enough to be reused.
    package var isProved: Bool { !state.isInvalid && (state.finger.recognized != nil || reuse()) }

    /// Reuses a finger recently recognized for another context; returns whether it succeeded.
    func reuse() -> Bool {
        guard settings.history.hasMatch(within: min(state.reuseDuration, Self.maximumReuse)) else {
            return false
        }
        try? examine()
        return state.finger.enrolled.map { state.keepRecognized(among: $0) } ?? false
    }

    /// Queries the sensor and stores its state in the context; throws if no finger can be recognized.
    package func examine() throws(FingerprintFailure) {
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

    /// When the button for entering the passcode is shown.
    ///
    /// It is shown at once, after a finger was not recognized, or never.
    package enum Fallback { case atOnce, afterMiss, never }

    /// Prompts for a finger, and stores the result in the context; throws if none is recognized.
    package func proveOwner(offering fallback: Fallback) throws(FingerprintFailure) {
        // Do not use the sensor if no dialog can tell the user which program is asking.
        let canAsk = pinentry.canAsk || pinentry.simulatedUser != nil
        guard !state.interactionNotAllowed, canAsk else { throw .cannotPrompt }
        try examine()
        var dialog = FingerprintDialog(
            title: "Keychain",
            description: Authenticator.description(asking: "a fingerprint", reason: reason)
        )
        dialog.cancelTitle = state.cancelTitle
        let title = state.fallbackTitle ?? "Enter Passcode"
        dialog.fallbackTitle = title.isEmpty || fallback == .never ? nil : title
        dialog.hidesFallbackAtFirst = fallback == .afterMiss
        let prompt = FingerprintPrompt(dialog, settings, pinentry: pinentry) { [state] in state.isInvalid }
        let enrolled = try prompt.ask()
        guard state.keepRecognized(among: enrolled.digest) else { throw .cancelled }
    }
}

extension EnrolledFingers {
    var digest: Bytes32 { SystemKeychain.digest(ofFingers: fingers, of: user, at: sensor) }
}
