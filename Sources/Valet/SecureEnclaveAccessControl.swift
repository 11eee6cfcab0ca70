// SPDX-License-Identifier: Apache-2.0

import KeychainItems
import KeychainServices

/// The authentication required to read a value.
///
/// On Linux, biometrics are fingerprints. They require the package trait `Fingerprint` and a sensor that fprintd
/// supports. Without a sensor, a `biometricAny` value can be written but not read, and a `biometricCurrentSet`
/// value cannot be written.
public enum SecureEnclaveAccessControl: Int, CustomStringConvertible, Equatable, Sendable {
    /// The passcode or a biometric.
    case userPresence = 1
    /// Any enrolled biometric, including one enrolled later.
    case biometricAny = 2
    /// An enrolled biometric, while the same biometrics are enrolled as when the value was written.
    case biometricCurrentSet = 3
    /// The passcode.
    case devicePasscode = 4

    /// The suffix of the service name under which items are stored.
    public var description: String {
        switch self {
        // Empty, because Valet before 2.1 had only this constraint and added no suffix.
        case .userPresence: ""
        case .biometricAny: "_AccessControlTouchIDAnyFingerprint"
        case .biometricCurrentSet: "_AccessControlTouchIDCurrentFingerprintSet"
        case .devicePasscode: "_AccessControlDevicePasscode"
        }
    }

    var flags: SecAccessControlCreateFlags {
        switch self {
        case .userPresence: .userPresence
        case .biometricAny: .biometryAny
        case .biometricCurrentSet: .biometryCurrentSet
        case .devicePasscode: .devicePasscode
        }
    }

    var constraint: AccessControl.Constraint {
        switch self {
        case .userPresence: .userPresence
        case .biometricAny: .biometryAny
        case .biometricCurrentSet: .biometryCurrentSet
        case .devicePasscode: .devicePasscode
        }
    }

    var needsBiometric: Bool { self == .biometricAny || self == .biometricCurrentSet }

    /// All constraints; the public type is not `CaseIterable`.
    static func allValues() -> [Self] {
        [.userPresence, .biometricAny, .biometricCurrentSet, .devicePasscode]
    }
}
