// SPDX-License-Identifier: Apache-2.0

import KeychainServices

/// What the user proves before a value is read.
///
/// On Linux a biometric is a finger, with the package trait `Fingerprint` and where fprintd has a sensor. Without it a
/// value of `biometricAny` can be written and not be read, and one of `biometricCurrentSet` not be written.
public enum SecureEnclaveAccessControl: Int, CustomStringConvertible, Equatable, Sendable {
    /// The passcode or a biometric.
    case userPresence = 1
    /// A biometric of anyone who is enrolled, now or later.
    case biometricAny = 2
    /// A biometric of those who are enrolled when the value is written.
    case biometricCurrentSet = 3
    /// The passcode.
    case devicePasscode = 4

    /// The end of the name of the service under which items are stored.
    public var description: String {
        switch self {
        // Items of before 2.1, which knew no other constraint, had no suffix.
        case .userPresence: ""
        case .biometricAny: "_AccessControlTouchIDAnyFingerprint"
        case .biometricCurrentSet: "_AccessControlTouchIDCurrentFingerprintSet"
        case .devicePasscode: "_AccessControlDevicePasscode"
        }
    }

    /// The constraint that items have.
    var flags: SecAccessControlCreateFlags {
        switch self {
        case .userPresence: .userPresence
        case .biometricAny: .biometryAny
        case .biometricCurrentSet: .biometryCurrentSet
        case .devicePasscode: .devicePasscode
        }
    }

    /// Whether the passcode alone does not satisfy it.
    var needsBiometric: Bool { self == .biometricAny || self == .biometricCurrentSet }

    /// Every constraint; the public type does not list its cases.
    static func allValues() -> [Self] {
        [.userPresence, .biometricAny, .biometricCurrentSet, .devicePasscode]
    }
}
