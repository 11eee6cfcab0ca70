// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainModel
import KeychainUserPresence

/// The domain of the errors of ``LAContext``.
public let LAErrorDomain: String = "com.apple.LocalAuthentication"

/// Why an authentication failed.
///
/// An `NSError` of the domain ``LAErrorDomain`` can be cast to this type and back: `error as? LAError`,
/// `catch let error as LAError`.
public struct LAError: CustomNSError, LocalizedError, Hashable, Sendable {
    /// Error codes, with Apple's raw values.
    public enum Code: Int, Sendable {
        /// All answers were wrong, no finger was recognized, it is too early to retry, or the keychain is unreadable.
        case authenticationFailed = -1
        /// The user cancelled.
        case userCancel = -2
        /// The user pressed the fallback button of the fingerprint prompt.
        case userFallback = -3
        /// The user did not answer in time, or another program uses the sensor.
        case systemCancel = -4
        /// No passcode is set.
        case passcodeNotSet = -5
        /// No sensor can be used, or this build lacks the package trait `Fingerprint`.
        case biometryNotAvailable = -6
        /// The user has no enrolled finger.
        case biometryNotEnrolled = -7
        /// Too many fingers in a row were not recognized; the passcode is required.
        case biometryLockout = -8
        /// The program cancelled by invalidating the context.
        case appCancel = -9
        /// The context was invalidated earlier.
        case invalidContext = -10
        /// The policy requires a watch or another companion, which are not supported.
        case companionNotAvailable = -11
        /// A removable sensor is not paired; never returned here.
        case biometryNotPaired = -12
        /// A removable sensor is not connected; never returned here.
        case biometryDisconnected = -13
        /// The size of a view is invalid; never returned here.
        case invalidDimensions = -14
        /// Prompts are forbidden or impossible.
        case notInteractive = -1004
    }

    // swift-format-ignore: NoLeadingUnderscores
    /// The error as an `NSError`.
    public let _nsError: NSError

    // swift-format-ignore: NoLeadingUnderscores
    /// Creates an error from an `NSError`.
    ///
    /// The code of an error of another domain is ``Code/authenticationFailed``.
    public init(_nsError error: NSError) { _nsError = error }

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The error code.
    ///   - userInfo: The user info. A description for the user is added if it has none.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.init(code, userInfo: userInfo, cause: nil)
    }

    init(_ code: Code, userInfo: [String: Any] = [:], cause: StatusError?) {
        var userInfo = userInfo
        if userInfo[NSLocalizedDescriptionKey] == nil {
            userInfo[NSLocalizedDescriptionKey] = Self.sentences[code] ?? "Authentication failed."
        }
        self.init(_nsError: ErrorObject(code, userInfo, cause))
    }

    init(_ error: AuthenticationError) {
        self.init(Code(rawValue: error.code.rawValue) ?? .authenticationFailed, cause: error.cause)
    }

    /// The cause of the error, if known; ignored by `==`.
    var cause: StatusError? { (_nsError as? ErrorObject)?.cause }

    /// An `NSError` that can be hashed on Linux, where Foundation's own class traps.
    private final class ErrorObject: NSError, @unchecked Sendable {
        let cause: StatusError?

        init(_ code: Code, _ userInfo: [String: Any], _ cause: StatusError?) {
            self.cause = cause
            super.init(domain: LAErrorDomain, code: code.rawValue, userInfo: userInfo)
        }

        required init?(coder: NSCoder) {
            cause = nil
            super.init(coder: coder)
        }

        override var hash: Int { code }
    }

    /// The error code; ``Code/authenticationFailed`` for an unknown number or another domain.
    public var code: Code {
        (_nsError.domain == LAErrorDomain ? Code(rawValue: _nsError.code) : nil) ?? .authenticationFailed
    }

    /// The domain of all errors of this type: `com.apple.LocalAuthentication`.
    public static var errorDomain: String { LAErrorDomain }

    /// The raw value of the error code.
    public var errorCode: Int { code.rawValue }

    /// The user info of the error.
    public var userInfo: [String: Any] { _nsError.userInfo }

    /// The user info of the error.
    public var errorUserInfo: [String: Any] { userInfo }

    /// A description for the user.
    public var errorDescription: String? { _nsError.localizedDescription }

    /// A description for the user.
    public var localizedDescription: String { _nsError.localizedDescription }

    /// Hashes the code; hashing an `NSError` traps on Linux.
    public func hash(into hasher: inout Hasher) { hasher.combine(_nsError.code) }

    private static let sentences: [Code: String] = [
        .userCancel: "Authentication was cancelled.",
        .userFallback: "The user pressed the fallback button.",
        .systemCancel: "The user did not answer in time, or another program uses the sensor.",
        .passcodeNotSet: "No passcode is set.",
        .biometryNotAvailable: "No fingerprint sensor is available.",
        .biometryNotEnrolled: "No finger is enrolled.",
        .biometryLockout: "Too many fingers were not recognized.",
        .appCancel: "Authentication was cancelled by the program.",
        .invalidContext: "The context was invalidated.",
        .companionNotAvailable: "Companion devices are not supported.",
        .notInteractive: "Prompts are forbidden or impossible.",
    ]
}

// Without this conformance, casts between `NSError` and `LAError` fail on Linux.
// swift-format-ignore: NoLeadingUnderscores
extension LAError: _ObjectiveCBridgeable {
    /// The error as an `NSError`.
    public func _bridgeToObjectiveC() -> NSError { _nsError }

    /// Creates an error from an `NSError` of the domain ``LAErrorDomain``; traps for other domains.
    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout LAError?) {
        guard _conditionallyBridgeFromObjectiveC(source, result: &result) else {
            preconditionFailure("not an error of LocalAuthentication")
        }
    }

    /// Creates an error from an `NSError`; returns `false` if its domain is not ``LAErrorDomain``.
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout LAError?) -> Bool {
        guard source.domain == LAErrorDomain else { return false }
        result = LAError(_nsError: source)
        return true
    }

    /// Creates an error from an `NSError`; for `nil`, an error with ``Code/authenticationFailed``.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> LAError {
        source.map { LAError(_nsError: $0) } ?? LAError(.authenticationFailed)
    }
}
