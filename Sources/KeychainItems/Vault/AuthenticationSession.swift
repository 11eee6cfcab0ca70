// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Darwin)
import Foundation
#if canImport(LocalAuthentication)
@preconcurrency package import LocalAuthentication
#endif
#else
import KeychainClient
import KeychainModel
package import KeychainUserPresence
#endif

/// Authenticates the user for items with an access control.
///
/// ```swift
/// var vault = Vault(service: "com.example.mail")
/// vault.session = AuthenticationSession(prompt: "Show the password of alice")
/// let password = try await vault.get("alice")
/// ```
///
/// An authentication of the user is valid for all calls with this session, for items whose access control it
/// satisfies, until ``invalidate()`` is called or the session is released. Without a session, the user authenticates
/// for each call.
public final class AuthenticationSession: Sendable {
    #if canImport(Darwin)
    #if canImport(LocalAuthentication)
    package nonisolated(unsafe) let context = LAContext()
    #endif
    #else
    package let state = ContextState()
    #endif
    private let isInvalid = Atomic(false)

    /// Creates a session in which the user has not authenticated yet.
    ///
    /// - Parameters:
    ///   - prompt: The reason that the prompt shows to the user.
    ///   - reuse: How long this session accepts a fingerprint that was recognized for another session, without a
    ///     prompt; at most five minutes. By default, it accepts none.
    ///   - mayAsk: Whether user interaction is allowed. If not, a call that requires it fails with
    ///     ``VaultError/Reason-swift.enum/interactionRequired``.
    public init(prompt: String? = nil, reuse: Duration = .zero, mayAsk: Bool = true) {
        #if !canImport(Darwin)
        state.reason = prompt
        state.reuseDuration = reuse / .seconds(1)
        state.interactionNotAllowed = !mayAsk
        #elseif canImport(LocalAuthentication)
        if let prompt { context.localizedReason = prompt }
        #if os(iOS) || os(macOS) || os(visionOS)
        context.touchIDAuthenticationAllowableReuseDuration = reuse / .seconds(1)
        #endif
        context.interactionNotAllowed = !mayAsk
        #endif
    }

    /// The reason that the prompt shows to the user; `nil` for none.
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

    /// Sets the application password for items that require one.
    ///
    /// If the program does not set the password, the user is prompted for it.
    ///
    /// - Parameter password: The password; `nil` to remove it.
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

    /// Invalidates the session, discards its authentications and cancels its prompt.
    ///
    /// Every later call in the session fails.
    public func invalidate() {
        isInvalid.store(true, ordering: .releasing)
        #if !canImport(Darwin)
        state.invalidate()
        #elseif canImport(LocalAuthentication)
        context.invalidate()
        #endif
    }

    /// Whether ``invalidate()`` has been called.
    public var isInvalidated: Bool { isInvalid.load(ordering: .acquiring) }
}
