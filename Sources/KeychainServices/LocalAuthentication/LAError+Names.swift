// SPDX-License-Identifier: Apache-2.0

extension LAError {
    /// The error code ``Code/authenticationFailed``.
    public static let authenticationFailed = Code.authenticationFailed
    /// The error code ``Code/userCancel``.
    public static let userCancel = Code.userCancel
    /// The error code ``Code/userFallback``.
    public static let userFallback = Code.userFallback
    /// The error code ``Code/systemCancel``.
    public static let systemCancel = Code.systemCancel
    /// The error code ``Code/passcodeNotSet``.
    public static let passcodeNotSet = Code.passcodeNotSet
    /// The error code ``Code/biometryNotAvailable``.
    public static let biometryNotAvailable = Code.biometryNotAvailable
    /// The error code ``Code/biometryNotEnrolled``.
    public static let biometryNotEnrolled = Code.biometryNotEnrolled
    /// The error code ``Code/biometryLockout``.
    public static let biometryLockout = Code.biometryLockout
    /// The error code ``Code/appCancel``.
    public static let appCancel = Code.appCancel
    /// The error code ``Code/invalidContext``.
    public static let invalidContext = Code.invalidContext
    /// The error code ``Code/companionNotAvailable``.
    public static let companionNotAvailable = Code.companionNotAvailable
    /// The error code ``Code/biometryNotPaired``.
    public static let biometryNotPaired = Code.biometryNotPaired
    /// The error code ``Code/biometryDisconnected``.
    public static let biometryDisconnected = Code.biometryDisconnected
    /// The error code ``Code/invalidDimensions``.
    public static let invalidDimensions = Code.invalidDimensions
    /// The error code ``Code/notInteractive``.
    public static let notInteractive = Code.notInteractive
}

extension LAError {
    /// Deprecated alias of ``Code/companionNotAvailable``.
    public static let watchNotAvailable = Code.companionNotAvailable
    /// Deprecated alias of ``Code/biometryNotAvailable``.
    public static let touchIDNotAvailable = Code.biometryNotAvailable
    /// Deprecated alias of ``Code/biometryNotEnrolled``.
    public static let touchIDNotEnrolled = Code.biometryNotEnrolled
    /// Deprecated alias of ``Code/biometryLockout``.
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
