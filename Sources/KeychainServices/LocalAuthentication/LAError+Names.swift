// SPDX-License-Identifier: Apache-2.0

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
    /// ``Code/companionNotAvailable``.
    public static let companionNotAvailable = Code.companionNotAvailable
    /// ``Code/biometryNotPaired``.
    public static let biometryNotPaired = Code.biometryNotPaired
    /// ``Code/biometryDisconnected``.
    public static let biometryDisconnected = Code.biometryDisconnected
    /// ``Code/invalidDimensions``.
    public static let invalidDimensions = Code.invalidDimensions
    /// ``Code/notInteractive``.
    public static let notInteractive = Code.notInteractive
}

/// Deprecated aliases.
extension LAError {
    /// ``Code/companionNotAvailable``.
    public static let watchNotAvailable = Code.companionNotAvailable
    /// ``Code/biometryNotAvailable``.
    public static let touchIDNotAvailable = Code.biometryNotAvailable
    /// ``Code/biometryNotEnrolled``.
    public static let touchIDNotEnrolled = Code.biometryNotEnrolled
    /// ``Code/biometryLockout``.
    public static let touchIDLockout = Code.biometryLockout
}

extension LAError.Code {
    /// Deprecated alias of ``companionNotAvailable``.
    public static let watchNotAvailable = Self.companionNotAvailable
    /// Deprecated alias of ``biometryNotAvailable``.
    public static let touchIDNotAvailable = Self.biometryNotAvailable
    /// Deprecated alias of ``biometryNotEnrolled``.
    public static let touchIDNotEnrolled = Self.biometryNotEnrolled
    /// Deprecated alias of ``biometryLockout``.
    public static let touchIDLockout = Self.biometryLockout

    /// Matches errors in `catch LAError.userCancel`.
    public static func ~= (code: Self, error: any Error) -> Bool { (error as? LAError)?.code == code }
}
