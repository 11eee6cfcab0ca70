// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainClient
import KeychainModel
package import KeychainUserPresence

/// An authentication of the person at the machine, and how to ask for it.
///
/// Once a policy or an access control was evaluated with success, the context opens every item whose constraints that
/// satisfies, without asking again, until ``invalidate()`` or the end of the context. Pass it under
/// `kSecUseAuthenticationContext`. Without one, each call that needs an authentication asks for one.
///
/// The passcode is that of the keychain. It is asked for by the program that the variable `KEYCHAIN_PINENTRY` names, or
/// else `pinentry`; with an empty value, or without a terminal and a display, nobody is asked.
///
/// With the trait `Fingerprint` a finger satisfies a policy, too, where fprintd has a sensor and one of the user's
/// fingers. The same program shows who asks and why, and without a place for that no finger is asked for. Five fingers in
/// a row that are not recognized end it until the passcode is proved or the process ends.
///
/// A finger opens the items whose constraints it satisfies: those made with `biometryAny`, with `biometryCurrentSet` as
/// long as the same fingers are enrolled, and those with `userPresence` that were made while a finger was enrolled. For
/// others the passcode is asked.
///
/// Source: Apple, *LAContext*. Differs: the proof opens items of the keychain that this process uses by default, which
/// it was given for. Differs: the user is asked up to three times in one call. Differs: a finger is recognized by fprintd
/// and gives no key of its own, so that what it opens is as safe as the unlocked keychain is.
open class LAContext: NSObject {
    let state: ContextState

    /// Makes a context that has proved nothing.
    public override init() {
        state = ContextState()
        super.init()
    }

    /// Makes a context that shares what is proved.
    package init(_ state: ContextState) {
        self.state = state
        super.init()
    }

    /// What the user reads when asked, unless the call says something else.
    open var localizedReason: String {
        get { state.reason ?? "" }
        set { state.reason = newValue.isEmpty ? nil : newValue }
    }

    /// The title of the button for another way beside a finger; with an empty one there is no such button.
    ///
    /// Under `deviceOwnerAuthentication` it leads to the passcode, under `deviceOwnerAuthenticationWithBiometrics` it
    /// ends with `userFallback` and appears only after a finger was not recognized. Without a sensor it is never shown.
    open var localizedFallbackTitle: String? {
        get { state.fallbackTitle }
        set { state.fallbackTitle = newValue }
    }

    /// The title of the button that cancels.
    open var localizedCancelTitle: String? {
        get { state.cancelTitle }
        set { state.cancelTitle = newValue }
    }

    /// Whether asking is forbidden: what would ask fails.
    open var interactionNotAllowed: Bool {
        get { state.interactionNotAllowed }
        set { state.interactionNotAllowed = newValue }
    }

    /// The seconds for which a finger that was recognized before counts for a policy, at most 300.
    ///
    /// Differs: the finger of another context of this process counts, not the one that unlocked the device.
    open var touchIDAuthenticationAllowableReuseDuration: TimeInterval {
        get { state.reuseDuration }
        set { state.reuseDuration = newValue }
    }

    /// The kind of sensor that the last evaluation, or question whether one can be, has found.
    open var biometryType: LABiometryType { state.finger.hasSensor ? .touchID : .none }

    /// A digest of the fingers that the last evaluation, or question whether one can be, has found enrolled; `nil`
    /// before, and where none is.
    ///
    /// Differs: it is made of the sensor, the user and the names of the fingers, which is all that fprintd tells. A
    /// finger that takes the place of another of its name does not change it.
    open var evaluatedPolicyDomainState: Data? {
        state.finger.enrolled.map { digest in unsafe digest.withBytes { unsafe Data($0) } }
    }

    /// Says whether a policy can be satisfied on this machine; nobody is asked.
    ///
    /// - Parameters:
    ///   - policy: What would be proved.
    ///   - error: Receives an error of the domain ``LAErrorDomain`` if not: `biometryNotAvailable`,
    ///     `biometryNotEnrolled`, `biometryLockout`, `passcodeNotSet` or `invalidContext`. Pass `nil` to do without.
    /// - Returns: Whether it can.
    open func canEvaluatePolicy(_ policy: LAPolicy, error: UnsafeMutablePointer<NSError?>?) -> Bool {
        do throws(AuthenticationError) {
            try PolicyEvaluation(policy, state).check()
            return true
        } catch let failure {
            unsafe error?.pointee = LAError(failure) as NSError
            return false
        }
    }

    /// Asks the user to satisfy a policy, and answers on a thread of its own.
    ///
    /// A context that has done so already succeeds without asking.
    ///
    /// - Parameters:
    ///   - policy: What is to be proved.
    ///   - localizedReason: What the person reads; it must not be empty.
    ///   - reply: Receives success, or an ``LAError``.
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

    /// Asks the user to satisfy a policy; see the form with a reply.
    open func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            evaluatePolicy(policy, localizedReason: localizedReason) { success, error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(success))
            }
        }
    }

    /// Asks the user to satisfy an access control, so that items under it open without asking.
    ///
    /// To make an item, nothing needs to be proved.
    open func evaluateAccessControl(
        _ accessControl: SecAccessControl,
        operation: LAAccessControlOperation,
        localizedReason: String,
        reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let control = accessControl.content
        let needsNobody = operation == .createItem || operation == .createKey || !control.needsPerson
        let reason = localizedReason.isEmpty ? nil : localizedReason
        let (state, person) = (state, PersonAuthentication(state, reason: reason))
        SystemKeychain.detach {
            do throws(AuthenticationError) {
                guard !state.isInvalid else { throw AuthenticationError(.invalidContext) }
                if !needsNobody {
                    var person = person
                    try person.proveUnlessProved(control)
                }
                reply(true, nil)
            } catch {
                reply(false, LAError(error))
            }
        }
    }

    /// Asks the user to satisfy an access control; see the form with a reply.
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

    /// Supplies a password of the program's own, or takes it back with `nil`.
    ///
    /// It encrypts and decrypts items with the constraint `applicationPassword`. If the program supplies none, the user is
    /// asked: twice when an item is added, once when items are read or updated.
    ///
    /// - Returns: Whether it was taken: not by a context that was invalidated, and only an application password.
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

    /// Whether a password was supplied.
    open func isCredentialSet(_ type: LACredentialType) -> Bool {
        type == .applicationPassword && state.authentication.hasApplicationPassword
    }

    /// Forgets everything that was proved or supplied, and makes every later use of the context fail.
    ///
    /// The user who is being asked is no longer asked.
    open func invalidate() { state.invalidate() }
}
