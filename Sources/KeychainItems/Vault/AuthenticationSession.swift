// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Darwin)
import Foundation
#if canImport(LocalAuthentication)
@preconcurrency import LocalAuthentication
#endif
#else
import KeychainClient
import KeychainModel
package import KeychainUserPresence
#endif

/// How the user is asked for what access controls demand, and what was proved.
///
/// ```swift
/// var vault = Vault(service: "com.example.mail")
/// vault.session = AuthenticationSession(prompt: "Show the password of alice")
/// let password = try await vault.get("alice")
/// ```
///
/// What the user proves counts for every call in the session, until ``invalidate()`` or the end of the session. Without a
/// session each call asks anew.
public final class AuthenticationSession: Sendable {
    #if canImport(Darwin)
    #if canImport(LocalAuthentication)
    nonisolated(unsafe) let context = LAContext()
    #endif
    #else
    package let state = ContextState()
    #endif
    private let isInvalid = Atomic(false)

    /// Makes a session in which nothing is proved.
    ///
    /// - Parameters:
    ///   - prompt: What the user reads when asked.
    ///   - reuse: For how long a finger counts that was recognized for another session; by default not at all, at most five
    ///     minutes.
    ///   - mayAsk: Whether the user may be asked at all; if not, a call that would have to is
    ///     ``VaultError/Reason-swift.enum/interactionRequired``.
    public init(prompt: String? = nil, reuse: Duration = .zero, mayAsk: Bool = true) {
        #if !canImport(Darwin)
        state.reason = prompt
        state.reuseDuration = Double(reuse.components.seconds)
        state.interactionNotAllowed = !mayAsk
        #elseif canImport(LocalAuthentication)
        if let prompt { context.localizedReason = prompt }
        #if os(iOS) || os(macOS) || os(visionOS)
        context.touchIDAuthenticationAllowableReuseDuration = Double(reuse.components.seconds)
        #endif
        context.interactionNotAllowed = !mayAsk
        #endif
    }

    /// What the user reads when asked; `nil` for nothing.
    public var prompt: String? {
        get {
            #if !canImport(Darwin)
            return state.reason
            #elseif canImport(LocalAuthentication)
            return context.localizedReason
            #else
            return nil
            #endif
        }
        set {
            #if !canImport(Darwin)
            state.reason = newValue
            #elseif canImport(LocalAuthentication)
            context.localizedReason = newValue ?? ""
            #endif
        }
    }

    /// Supplies the password of items whose access control needs one of the program's own, or takes it back with `nil`.
    ///
    /// If the program supplies none, the user is asked.
    public func setApplicationPassword(_ password: SecretBytes?) {
        #if !canImport(Darwin)
        state.update { before in
            guard let password else { return before.with(applicationPassword: nil) }
            let bytes = unsafe KeychainModel.SecretBytes(count: password.count) { target in
                unsafe password.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
            }
            return before.with(applicationPassword: bytes)
        }
        #elseif canImport(LocalAuthentication)
        context.setCredential(password.flatMap { Data(secret: $0) }, type: .applicationPassword)
        #endif
    }

    /// Forgets what was proved or supplied, cancels a prompt that is shown, and makes every later use of the session fail.
    public func invalidate() {
        isInvalid.store(true, ordering: .releasing)
        #if !canImport(Darwin)
        state.invalidate()
        #elseif canImport(LocalAuthentication)
        context.invalidate()
        #endif
    }

    /// Whether ``invalidate()`` was called.
    public var isInvalidated: Bool { isInvalid.load(ordering: .acquiring) }
}
