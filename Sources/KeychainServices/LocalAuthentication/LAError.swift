// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainModel
import KeychainUserPresence

/// The domain of the errors of ``LAContext``.
public let LAErrorDomain: String = "com.apple.LocalAuthentication"

/// Why an authentication failed.
///
/// An `NSError` of the domain ``LAErrorDomain`` can be cast to it, and back: `error as? LAError`, `catch let error as LAError`.
public struct LAError: CustomNSError, LocalizedError, Hashable, Sendable {
    /// Why, by Apple's numbers.
    public enum Code: Int, Sendable {
        /// Every answer was wrong, or too many were before.
        case authenticationFailed = -1
        /// The person cancelled.
        case userCancel = -2
        /// The person chose the fallback over the finger.
        case userFallback = -3
        /// Nobody answered in time, or another program uses the sensor.
        case systemCancel = -4
        /// No passcode is set.
        case passcodeNotSet = -5
        /// There is no sensor that this program may use, or the package was built without the trait `Fingerprint`.
        case biometryNotAvailable = -6
        /// No finger of the user is enrolled.
        case biometryNotEnrolled = -7
        /// Too many fingers in a row were not recognized: the passcode must be proved.
        case biometryLockout = -8
        /// The program cancelled by invalidating the context.
        case appCancel = -9
        /// The context was invalidated before.
        case invalidContext = -10
        /// There is no watch and no other companion, which is so always.
        case companionNotAvailable = -11
        /// A sensor that can be taken off is not paired; never happens here.
        case biometryNotPaired = -12
        /// A sensor that can be taken off is not connected; never happens here.
        case biometryDisconnected = -13
        /// A view for the person has not the right size; never happens here.
        case invalidDimensions = -14
        /// Asking was forbidden, or there is nowhere to ask.
        case notInteractive = -1004
    }

    // swift-format-ignore: NoLeadingUnderscores
    /// The error as an object.
    public let _nsError: NSError

    // swift-format-ignore: NoLeadingUnderscores
    /// Makes an error of an object.
    ///
    /// An object of another domain is no error of this type; it counts as ``Code/authenticationFailed``.
    public init(_nsError error: NSError) { _nsError = error }

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: Why.
    ///   - userInfo: What else is to be said. A sentence for people is added if there is none.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.init(code, userInfo: userInfo, cause: nil)
    }

    /// Creates an error caused by a failure of the keychain or of the prompt.
    init(_ code: Code, userInfo: [String: Any] = [:], cause: StatusError?) {
        var userInfo = userInfo
        if userInfo[NSLocalizedDescriptionKey] == nil {
            userInfo[NSLocalizedDescriptionKey] = Self.sentences[code] ?? "Authentication failed."
        }
        self.init(_nsError: ErrorObject(code, userInfo, cause))
    }

    /// The same error as the API has it.
    init(_ error: AuthenticationError) {
        self.init(Code(rawValue: error.code.rawValue) ?? .authenticationFailed, cause: error.cause)
    }

    /// The cause of the error, if known; ignored by `==`.
    var cause: StatusError? { (_nsError as? ErrorObject)?.cause }

    /// An error that can be in a set: Foundation's own stops the program on Linux when asked for its hash.
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

    /// Why; ``Code/authenticationFailed`` for a number without a name.
    public var code: Code {
        (_nsError.domain == LAErrorDomain ? Code(rawValue: _nsError.code) : nil) ?? .authenticationFailed
    }

    /// The same for every error: `com.apple.LocalAuthentication`.
    public static var errorDomain: String { LAErrorDomain }

    /// The number of the code.
    public var errorCode: Int { code.rawValue }

    /// What else the error says.
    public var userInfo: [String: Any] { _nsError.userInfo }

    /// What else the error says.
    public var errorUserInfo: [String: Any] { userInfo }

    /// A description for the user.
    public var errorDescription: String? { _nsError.localizedDescription }

    /// A description for the user.
    public var localizedDescription: String { _nsError.localizedDescription }

    /// Mixes the number in; an object of this kind stops the program on Linux when asked for its hash.
    public func hash(into hasher: inout Hasher) { hasher.combine(_nsError.code) }

    private static let sentences: [Code: String] = [
        .userCancel: "Authentication was cancelled.",
        .userFallback: "Another way was chosen.",
        .systemCancel: "Nobody answered the request for authentication.",
        .passcodeNotSet: "No passcode is set.",
        .biometryNotAvailable: "There is no biometric sensor.",
        .biometryNotEnrolled: "No finger is enrolled.",
        .biometryLockout: "Too many fingers were not recognized.",
        .appCancel: "Authentication was cancelled by the program.",
        .invalidContext: "The context was invalidated.",
        .companionNotAvailable: "There is no companion.",
        .notInteractive: "Asking for authentication is not possible.",
    ]
}

// Casts between objects and values ask for this protocol, which Foundation's own errors do without on Linux.
// swift-format-ignore: NoLeadingUnderscores
extension LAError: _ObjectiveCBridgeable {
    /// The error as an object.
    public func _bridgeToObjectiveC() -> NSError { _nsError }

    /// Makes an error of an object, which must be one of this domain.
    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout LAError?) {
        guard _conditionallyBridgeFromObjectiveC(source, result: &result) else {
            preconditionFailure("not an error of LocalAuthentication")
        }
    }

    /// Makes an error of an object; none of an object of another domain.
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout LAError?) -> Bool {
        guard source.domain == LAErrorDomain else { return false }
        result = LAError(_nsError: source)
        return true
    }

    /// Makes an error of an object.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> LAError {
        source.map { LAError(_nsError: $0) } ?? LAError(.authenticationFailed)
    }
}
