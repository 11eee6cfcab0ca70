// SPDX-License-Identifier: Apache-2.0

// The C constants for raw values of error codes and policies. Older Swift code compares them with
// `Int32(error.errorCode)`.

// MARK: Errors

/// The raw value of ``LAError/Code/authenticationFailed``.
public let kLAErrorAuthenticationFailed: Int32 = -1

/// The raw value of ``LAError/Code/userCancel``.
public let kLAErrorUserCancel: Int32 = -2

/// The raw value of ``LAError/Code/userFallback``.
public let kLAErrorUserFallback: Int32 = -3

/// The raw value of ``LAError/Code/systemCancel``.
public let kLAErrorSystemCancel: Int32 = -4

/// The raw value of ``LAError/Code/passcodeNotSet``.
public let kLAErrorPasscodeNotSet: Int32 = -5

/// The raw value of ``LAError/Code/biometryNotAvailable``.
public let kLAErrorBiometryNotAvailable: Int32 = -6

/// The raw value of ``LAError/Code/biometryNotEnrolled``.
public let kLAErrorBiometryNotEnrolled: Int32 = -7

/// The raw value of ``LAError/Code/biometryLockout``.
public let kLAErrorBiometryLockout: Int32 = -8

/// The raw value of ``LAError/Code/appCancel``.
public let kLAErrorAppCancel: Int32 = -9

/// The raw value of ``LAError/Code/invalidContext``.
public let kLAErrorInvalidContext: Int32 = -10

/// The raw value of ``LAError/Code/companionNotAvailable``.
public let kLAErrorCompanionNotAvailable: Int32 = -11

/// The raw value of ``LAError/Code/biometryNotPaired``.
public let kLAErrorBiometryNotPaired: Int32 = -12

/// The raw value of ``LAError/Code/biometryDisconnected``.
public let kLAErrorBiometryDisconnected: Int32 = -13

/// The raw value of ``LAError/Code/invalidDimensions``.
public let kLAErrorInvalidDimensions: Int32 = -14

/// The raw value of ``LAError/Code/notInteractive``.
public let kLAErrorNotInteractive: Int32 = -1004

/// Deprecated alias of `kLAErrorBiometryNotAvailable`.
public let kLAErrorTouchIDNotAvailable: Int32 = kLAErrorBiometryNotAvailable

/// Deprecated alias of `kLAErrorBiometryNotEnrolled`.
public let kLAErrorTouchIDNotEnrolled: Int32 = kLAErrorBiometryNotEnrolled

/// Deprecated alias of `kLAErrorBiometryLockout`.
public let kLAErrorTouchIDLockout: Int32 = kLAErrorBiometryLockout

/// Deprecated alias of `kLAErrorCompanionNotAvailable`.
public let kLAErrorWatchNotAvailable: Int32 = kLAErrorCompanionNotAvailable

// MARK: Policies

/// The raw value of ``LAPolicy/deviceOwnerAuthenticationWithBiometrics``.
public let kLAPolicyDeviceOwnerAuthenticationWithBiometrics: Int32 = 1

/// The raw value of ``LAPolicy/deviceOwnerAuthentication``.
public let kLAPolicyDeviceOwnerAuthentication: Int32 = 2

/// The raw value of ``LAPolicy/deviceOwnerAuthenticationWithCompanion``.
public let kLAPolicyDeviceOwnerAuthenticationWithCompanion: Int32 = 3

/// The raw value of ``LAPolicy/deviceOwnerAuthenticationWithBiometricsOrCompanion``.
public let kLAPolicyDeviceOwnerAuthenticationWithBiometricsOrCompanion: Int32 = 4

/// Deprecated alias of `kLAPolicyDeviceOwnerAuthenticationWithCompanion`.
public let kLAPolicyDeviceOwnerAuthenticationWithWatch: Int32 =
    kLAPolicyDeviceOwnerAuthenticationWithCompanion

/// Deprecated alias of `kLAPolicyDeviceOwnerAuthenticationWithBiometricsOrCompanion`.
public let kLAPolicyDeviceOwnerAuthenticationWithBiometricsOrWatch: Int32 =
    kLAPolicyDeviceOwnerAuthenticationWithBiometricsOrCompanion
