// SPDX-License-Identifier: Apache-2.0

import KeychainUserPresence

/// What the user must prove; see ``LAContext``.
public enum LAPolicy: Int, Sendable {
    /// A finger, for which no passcode needs to be set.
    case deviceOwnerAuthenticationWithBiometrics = 1
    /// The keychain's passcode, or a finger in its place; a passcode must be set.
    case deviceOwnerAuthentication = 2
    /// A watch or another companion of the machine, of which there is none here: it always fails with
    /// ``LAError/Code/companionNotAvailable``.
    case deviceOwnerAuthenticationWithCompanion = 3
    /// A finger or a companion: as there is no companion, a finger.
    case deviceOwnerAuthenticationWithBiometricsOrCompanion = 4

    /// ``deviceOwnerAuthenticationWithCompanion``, by a name of earlier days.
    public static let deviceOwnerAuthenticationWithWatch = Self.deviceOwnerAuthenticationWithCompanion
    /// ``deviceOwnerAuthenticationWithBiometricsOrCompanion``, by a name of earlier days.
    public static let deviceOwnerAuthenticationWithBiometricsOrWatch =
        Self.deviceOwnerAuthenticationWithBiometricsOrCompanion
}

/// What a program wants to do with an item or a key under access control.
public enum LAAccessControlOperation: Int, Sendable {
    /// Making an item.
    case createItem = 0
    /// Reading or changing an item.
    case useItem = 1
    /// Making a key.
    case createKey = 2
    /// Signing with a key.
    case useKeySign = 3
    /// Decrypting with a key.
    case useKeyDecrypt = 4
    /// Agreeing on a key with another party.
    case useKeyKeyExchange = 5
}

/// What a program supplies by itself; see ``LAContext/setCredential(_:type:)``.
public enum LACredentialType: Int, Sendable {
    /// The password of items with `applicationPassword` among their constraints.
    case applicationPassword = 0
    /// A card's PIN, which nothing here asks for.
    case smartCardPIN = -3
}

/// The kind of a machine's biometric sensor.
public enum LABiometryType: Int, Sendable {
    /// There is none, or none is supported.
    case none = 0
    /// A fingerprint sensor, by Apple's name for its own.
    case touchID = 1
    /// Apple's face recognition.
    case faceID = 2
    /// Apple's recognition of the iris.
    case opticID = 4
}

/// The longest time, in seconds, for which an earlier biometric unlock may be reused.
public let LATouchIDAuthenticationMaximumAllowableReuseDuration: Double = FingerAuthenticator.longestReuse
