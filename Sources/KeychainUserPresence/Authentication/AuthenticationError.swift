// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

package struct AuthenticationError: Error, Hashable, Sendable {
    /// An error code, with the raw value that it has in Apple's `LAError.Code`.
    package enum Code: Int, CaseIterable, Sendable {
        case authenticationFailed = -1
        case userCancel = -2
        case userFallback = -3
        case systemCancel = -4
        case passcodeNotSet = -5
        case biometryNotAvailable = -6
        case biometryNotEnrolled = -7
        case biometryLockout = -8
        case appCancel = -9
        case invalidContext = -10
        case companionNotAvailable = -11
        case notInteractive = -1004
    }

    package let code: Code
    /// The keychain or prompt failure that caused this error, if known.
    package let cause: StatusError?

    package init(_ code: Code, cause: StatusError? = nil) {
        self.code = code
        self.cause = cause
    }
}

extension AuthenticationError {
    /// The error of a keychain call whose authentication failed with this error.
    ///
    /// Source: Apple's published Security sources.
    var keychainError: StatusError {
        let error = errorOfCode
        return cause.map { StatusError(error.status, $0.reason, file: $0.file, code: $0.code) } ?? error
    }

    private var errorOfCode: StatusError {
        switch code {
        case .userCancel, .systemCancel, .appCancel: StatusError(.userCanceled, .promptCanceled)
        case .notInteractive: StatusError(.interactionNotAllowed, .promptFailed)
        case .passcodeNotSet: StatusError(.authenticationFailed, .noPasscode)
        case .biometryNotAvailable, .biometryNotEnrolled:
            StatusError(.authenticationFailed, .constraintUnsatisfiable)
        case .biometryLockout: StatusError(.authenticationFailed, .fingersLockedOut)
        default: StatusError(.authenticationFailed, .passcodeWrong)
        }
    }

    /// Creates the error for a failed prompt for a passcode or an application password.
    init(_ failure: PinentryFailure) {
        switch failure {
        case .cancelled, .stopped: self.init(.userCancel)
        case .timedOut: self.init(.systemCancel)
        case .forbidden, .noTerminal, .noProgram, .unavailable:
            self.init(.notInteractive, cause: StatusError(asking: failure))
        }
    }

    /// Creates the error for a failed fingerprint prompt.
    package init(_ failure: FingerprintFailure, _ state: ContextState) {
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
        let obstacle = failure == .cannotPrompt ? PinentrySettings.current.obstacle ?? .unavailable : nil
        self.init(code, cause: obstacle.flatMap { StatusError(asking: $0) })
    }
}

extension StatusError {
    /// Creates the error for a prompt that could not be shown; `nil` if the user or the caller ended it, or it timed
    /// out.
    package init?(asking failure: PinentryFailure) {
        switch failure {
        case .cancelled, .stopped, .timedOut: return nil
        case .forbidden: self.init(.interactionNotAllowed, .promptForbidden)
        case .noTerminal: self.init(.interactionNotAllowed, .promptWithoutTerminal)
        case .noProgram: self.init(.interactionNotAllowed, .promptWithoutPinentry)
        case .unavailable: self.init(.interactionNotAllowed, .promptFailed)
        }
    }
}
