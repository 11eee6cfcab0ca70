// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The domain of the errors of ``LAContext``.
public let LAErrorDomain: String = "com.apple.LocalAuthentication"

/// Why an authentication failed.
public struct LAError: CustomNSError, Hashable, Sendable {
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
        /// There is no watch; never happens here.
        case watchNotAvailable = -11
        /// Asking was forbidden, or there is nowhere to ask.
        case notInteractive = -1004
    }

    /// Why.
    public let code: Code

    /// Makes an error.
    public init(_ code: Code) { self.code = code }

    /// The same for every error: `com.apple.LocalAuthentication`.
    public static var errorDomain: String { LAErrorDomain }

    /// The number of the code.
    public var errorCode: Int { code.rawValue }

    /// A sentence for people.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: localizedDescription] }

    /// A sentence for people.
    public var localizedDescription: String { Self.sentences[code] ?? "Authentication failed." }

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
        .notInteractive: "Asking for authentication is not possible.",
    ]
}

extension LAError {
    /// ``Code/authenticationFailed``.
    public static let authenticationFailed = Code.authenticationFailed
    /// ``Code/userCancel``.
    public static let userCancel = Code.userCancel
    /// ``Code/userFallback``.
    public static let userFallback = Code.userFallback
    /// ``Code/systemCancel``.
    public static let systemCancel = Code.systemCancel
    /// ``Code/passcodeNotSet``.
    public static let passcodeNotSet = Code.passcodeNotSet
    /// ``Code/biometryNotAvailable``.
    public static let biometryNotAvailable = Code.biometryNotAvailable
    /// ``Code/biometryNotEnrolled``.
    public static let biometryNotEnrolled = Code.biometryNotEnrolled
    /// ``Code/biometryLockout``.
    public static let biometryLockout = Code.biometryLockout
    /// ``Code/appCancel``.
    public static let appCancel = Code.appCancel
    /// ``Code/invalidContext``.
    public static let invalidContext = Code.invalidContext
    /// ``Code/watchNotAvailable``.
    public static let watchNotAvailable = Code.watchNotAvailable
    /// ``Code/notInteractive``.
    public static let notInteractive = Code.notInteractive
}

extension LAError.Code {
    /// Lets `catch LAError.userCancel` work.
    public static func ~= (code: Self, error: any Error) -> Bool { (error as? LAError)?.code == code }
}
