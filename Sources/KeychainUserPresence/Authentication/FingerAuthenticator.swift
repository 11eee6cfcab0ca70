// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel

/// Asks the user for a finger, on behalf of one context.
package struct FingerAuthenticator: Sendable {
    let state: ContextState
    let reason: String?
    let settings: FingerprintSettings
    let place: PinentrySettings

    package init(_ state: ContextState, reason: String? = nil) {
        self.state = state
        self.reason = reason ?? state.reason
        settings = .current
        place = .current
    }

    /// The seconds for which a finger that was recognized before can count.
    package static let longestReuse = 300.0

    /// Whether a finger was recognized for this context, or so shortly before for another that it counts.
    package var isProved: Bool { !state.isInvalid && (state.finger.recognized != nil || reuse()) }

    /// Has a finger count that was recognized for another context, if this one allows it, as if it were there now.
    func reuse() -> Bool {
        guard settings.history.hasMatch(within: min(state.reuseDuration, Self.longestReuse)) else {
            return false
        }
        try? examine()
        return state.finger.enrolled.map { state.keepRecognized(among: $0) } ?? false
    }

    /// Whether a finger could be recognized; what is known of the sensor is left with the context.
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

    /// When another way than a finger is offered.
    package enum Fallback { case atOnce, afterMiss, never }

    /// Asks until a finger is recognized, and leaves the proof with the context.
    package func proveOwner(offering fallback: Fallback) throws(FingerprintFailure) {
        // Where nobody can be asked, the sensor is not either.
        let canAsk = place.canAsk || place.simulatedUser != nil
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
        let prompt = FingerprintPrompt(dialog, settings, pinentry: place) { [state] in state.isInvalid }
        let enrolled = try prompt.ask()
        guard state.keepRecognized(among: enrolled.digest) else { throw .cancelled }
    }
}

extension EnrolledFingers {
    var digest: Bytes32 { SystemKeychain.digest(ofFingers: fingers, of: user, at: sensor) }
}
