// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainClient
import KeychainModel
package import KeychainUserPresence

/// Authenticates the user and records the result for keychain calls.
///
/// After a successful evaluation of a policy or an access control, calls with this context do not prompt for
/// items whose constraints the result satisfies, until ``invalidate()`` is called or the context is released.
/// Pass the context under `kSecUseAuthenticationContext`. Without a context, each call that requires
/// authentication prompts separately.
///
/// The passcode is the keychain's passcode; a pinentry program asks the user for it. The environment variable
/// `KEYCHAIN_PINENTRY` names this program, by default `pinentry`. If the variable is empty, or if it is not
/// set and there is neither a terminal nor a display, calls are non-interactive.
///
/// With the package trait `Fingerprint`, a finger also satisfies a policy if fprintd has a sensor and the
/// user has enrolled a finger. A pinentry dialog shows which program asks and why; if it cannot be shown, no
/// finger is accepted. After five unrecognized fingers in a row, no finger is accepted until the passcode is
/// verified or the process ends.
///
/// A finger opens items with `biometryAny`, items with `biometryCurrentSet` while the same fingers are
/// enrolled as when the item was added, and items with `userPresence`, or with biometry *or* the passcode,
/// that were added while a finger was enrolled. Other items that require authentication require the passcode.
///
/// Source: Apple, *LAContext*. Differs: an authentication applies only to items of this process's default
/// keychain. Differs: one call prompts up to three times. Differs: fprintd recognizes fingers but supplies no
/// key, so items that a finger opens are encrypted only with the key of their protection class.
open class LAContext: NSObject {
    let state: ContextState

    /// Creates a context without authentication results.
    public override init() {
        state = ContextState()
        super.init()
    }

    /// Creates a context that shares the state of another context.
    package init(_ state: ContextState) {
        self.state = state
        super.init()
    }

    /// The default reason shown to the user; a call may specify another.
    open var localizedReason: String {
        get { state.reason ?? "" }
        set { state.reason = newValue.isEmpty ? nil : newValue }
    }

    /// The title of the fallback button of the fingerprint prompt.
    ///
    /// `nil` stands for “Enter Passcode”, an empty string for no button. With `deviceOwnerAuthentication` the
    /// button switches to the passcode. With `deviceOwnerAuthenticationWithBiometrics` the button appears
    /// only after a finger was not recognized, and ends the evaluation with `userFallback`. The button is never
    /// shown for an access control that requires a finger, and never without a sensor.
    open var localizedFallbackTitle: String? {
        get { state.fallbackTitle }
        set { state.fallbackTitle = newValue }
    }

    /// The title of the cancel button of prompts; `nil` for the default title.
    open var localizedCancelTitle: String? {
        get { state.cancelTitle }
        set { state.cancelTitle = newValue }
    }

    /// Whether calls with this context are non-interactive: a call that would prompt fails instead.
    open var interactionNotAllowed: Bool {
        get { state.interactionNotAllowed }
        set { state.interactionNotAllowed = newValue }
    }

    /// How long this context accepts a finger that was recognized earlier, in seconds; at most 300.
    ///
    /// Differs: the time starts when a finger is recognized for another context of this process; on Apple's
    /// platforms, it starts when a finger unlocks the device.
    open var touchIDAuthenticationAllowableReuseDuration: TimeInterval {
        get { state.reuseDuration }
        set { state.reuseDuration = newValue }
    }

    /// The type of sensor found when the sensor was last queried for this context.
    ///
    /// `canEvaluatePolicy`, evaluations and keychain calls can query it. The value is `none` before the first
    /// query.
    open var biometryType: LABiometryType { state.finger.hasSensor ? .touchID : .none }

    /// The digest of the enrolled finger set found when the sensor was last queried for this context.
    ///
    /// The value is `nil` before the first query, and if no finger is enrolled. Differs: the digest covers the
    /// sensor, the user and the names of the fingers, which is all that fprintd reports. If a finger is replaced
    /// by another with the same name, the digest does not change.
    open var evaluatedPolicyDomainState: Data? {
        state.finger.enrolled.map { digest in unsafe digest.withBytes { unsafe Data($0) } }
    }

    /// Whether a policy can be satisfied on this system; does not prompt.
    ///
    /// - Parameters:
    ///   - policy: The policy.
    ///   - error: If the policy cannot be satisfied, receives an error of the domain ``LAErrorDomain``:
    ///     `biometryNotAvailable`, `biometryNotEnrolled`, `biometryLockout`, `passcodeNotSet`,
    ///     `companionNotAvailable` or `invalidContext`. May be `nil`.
    /// - Returns: Whether the policy can be satisfied.
    open func canEvaluatePolicy(_ policy: LAPolicy, error: UnsafeMutablePointer<NSError?>?) -> Bool {
        do throws(AuthenticationError) {
            try PolicyEvaluation(policy, state).check()
            return true
        } catch let failure {
            unsafe error?.pointee = LAError(failure) as NSError
            return false
        }
    }

    /// Evaluates a policy, prompting if necessary, and replies on another thread.
    ///
    /// If the context has satisfied the policy already, the evaluation succeeds without prompting.
    ///
    /// - Parameters:
    ///   - policy: The policy.
    ///   - localizedReason: The reason shown to the user. An empty string, which Apple's platforms reject,
    ///     selects the context's ``localizedReason``.
    ///   - reply: Receives `true` and `nil`, or `false` and an ``LAError``.
    open func evaluatePolicy(
        _ policy: LAPolicy,
        localizedReason: String,
        reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let evaluation = PolicyEvaluation(
            policy,
            state,
            reason: localizedReason.isEmpty ? nil : localizedReason
        )
        SystemKeychain.detach {
            do throws(AuthenticationError) {
                try evaluation.run()
                reply(true, nil)
            } catch {
                reply(false, LAError(error))
            }
        }
    }

    /// Evaluates a policy; the asynchronous form of the function with a reply.
    open func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            evaluatePolicy(policy, localizedReason: localizedReason) { success, error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(success))
            }
        }
    }

    /// Evaluates an access control, so that items protected by it can be read without prompting.
    ///
    /// With the operations `createItem` and `createKey`, the evaluation succeeds without a prompt, because
    /// adding an item requires no authentication. It also succeeds without a prompt if the access control does
    /// not require authentication of the user, or if the user has already authenticated. It always fails after
    /// ``invalidate()``. The application password is not part of the evaluation; see ``setCredential(_:type:)``.
    open func evaluateAccessControl(
        _ accessControl: SecAccessControl,
        operation: LAAccessControlOperation,
        localizedReason: String,
        reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let control = accessControl.content
        let needsNoUser =
            operation == .createItem || operation == .createKey || !control.needsUserAuthentication
        let reason = localizedReason.isEmpty ? nil : localizedReason
        let (state, user) = (state, UserAuthentication(state, reason: reason))
        SystemKeychain.detach {
            do throws(AuthenticationError) {
                guard !state.isInvalid else { throw AuthenticationError(.invalidContext) }
                if !needsNoUser {
                    var user = user
                    try user.proveUnlessProved(control)
                }
                reply(true, nil)
            } catch {
                reply(false, LAError(error))
            }
        }
    }

    /// Evaluates an access control; the asynchronous form of the function with a reply.
    open func evaluateAccessControl(
        _ accessControl: SecAccessControl,
        operation: LAAccessControlOperation,
        localizedReason: String
    ) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            evaluateAccessControl(accessControl, operation: operation, localizedReason: localizedReason) {
                success,
                error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(success))
            }
        }
    }

    /// Supplies an application password, or removes it with `nil`.
    ///
    /// The password encrypts and decrypts items with the constraint `applicationPassword`. If the program
    /// supplies no password, the user is asked: twice when an item is added, once when items are read or
    /// updated.
    ///
    /// - Returns: `true` if the context was changed; `false` for an invalidated context or another `type`.
    @discardableResult
    open func setCredential(_ credential: Data?, type: LACredentialType) -> Bool {
        guard type == .applicationPassword else { return false }
        return state.update { before in
            guard let credential else { return before.with(applicationPassword: nil) }
            let password = unsafe SecretBytes(count: credential.count) {
                unsafe $0.copyBytes(from: credential)
            }
            return before.with(applicationPassword: password)
        }
    }

    /// Whether the context has an application password; `false` for any other `type`.
    open func isCredentialSet(_ type: LACredentialType) -> Bool {
        type == .applicationPassword && state.authentication.hasApplicationPassword
    }

    /// Discards all authentication results and credentials, and makes further use fail.
    ///
    /// A prompt that is being shown is closed.
    open func invalidate() { state.invalidate() }
}
