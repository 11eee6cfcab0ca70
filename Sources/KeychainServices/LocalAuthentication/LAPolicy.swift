// SPDX-License-Identifier: Apache-2.0

import KeychainUserPresence

/// How the user must authenticate; see ``LAContext``.
public enum LAPolicy: Int, Sendable {
    /// A finger; no passcode needs to be set.
    case deviceOwnerAuthenticationWithBiometrics = 1
    /// The keychain's passcode, or a finger instead; a passcode must be set.
    case deviceOwnerAuthentication = 2
    /// A watch or another companion, which is not supported.
    ///
    /// It always fails with ``LAError/Code/companionNotAvailable``.
    case deviceOwnerAuthenticationWithCompanion = 3
    /// A finger or a companion; as companions are not supported, a finger.
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
    /// The PIN of a smart card, which is not supported.
    case smartCardPIN = -3
}

/// The kind of a machine's biometric sensor.
public enum LABiometryType: Int, Sendable {
    /// No sensor, or none that is supported.
    case none = 0
    /// A fingerprint sensor; Touch ID is Apple's name.
    case touchID = 1
    /// Face ID.
    case faceID = 2
    /// Optic ID.
    case opticID = 4
}

/// The maximum reuse duration of an earlier biometric unlock, in seconds.
public let LATouchIDAuthenticationMaximumAllowableReuseDuration: Double = FingerAuthenticator.maximumReuse
