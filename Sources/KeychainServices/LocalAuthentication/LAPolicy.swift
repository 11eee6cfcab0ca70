// SPDX-License-Identifier: Apache-2.0

import KeychainUserPresence

/// How the user must authenticate; see ``LAContext``.
public enum LAPolicy: Int, Sendable {
    /// The user must touch the sensor with an enrolled finger; no passcode needs to be set.
    case deviceOwnerAuthenticationWithBiometrics = 1
    /// The user must enter the keychain's passcode, or use a finger instead; a passcode must be set.
    case deviceOwnerAuthentication = 2
    /// The user must use a watch or another companion, which are not supported.
    ///
    /// Evaluating the policy always fails with ``LAError/Code/companionNotAvailable``.
    case deviceOwnerAuthenticationWithCompanion = 3
    /// The user must use a finger or a companion; companions are not supported, so only a finger is accepted.
    case deviceOwnerAuthenticationWithBiometricsOrCompanion = 4

    /// Deprecated alias of ``deviceOwnerAuthenticationWithCompanion``.
    public static let deviceOwnerAuthenticationWithWatch = Self.deviceOwnerAuthenticationWithCompanion
    /// Deprecated alias of ``deviceOwnerAuthenticationWithBiometricsOrCompanion``.
    public static let deviceOwnerAuthenticationWithBiometricsOrWatch =
        Self.deviceOwnerAuthenticationWithBiometricsOrCompanion
}

/// An operation on an item or key with an access control.
public enum LAAccessControlOperation: Int, Sendable {
    /// Add an item.
    case createItem = 0
    /// Read or update an item.
    case useItem = 1
    /// Create a key.
    case createKey = 2
    /// Sign with a key.
    case useKeySign = 3
    /// Decrypt with a key.
    case useKeyDecrypt = 4
    /// Compute a shared secret with a key.
    case useKeyKeyExchange = 5
}

/// A credential that a program supplies; see ``LAContext/setCredential(_:type:)``.
public enum LACredentialType: Int, Sendable {
    /// The password of items with the constraint `applicationPassword`.
    case applicationPassword = 0
    /// The PIN of a smart card: not supported.
    case smartCardPIN = -3
}

/// The type of a machine's biometric sensor.
public enum LABiometryType: Int, Sendable {
    /// There is no supported sensor.
    case none = 0
    /// A fingerprint sensor; Touch ID is Apple's name.
    case touchID = 1
    /// Face ID; never returned here.
    case faceID = 2
    /// Optic ID; never returned here.
    case opticID = 4
}

/// The maximum of ``LAContext/touchIDAuthenticationAllowableReuseDuration``, in seconds.
public let LATouchIDAuthenticationMaximumAllowableReuseDuration: Double = FingerAuthenticator.maximumReuse
