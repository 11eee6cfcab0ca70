// SPDX-License-Identifier: Apache-2.0

import KeychainServices

/// When the values of a valet are readable: their protection class.
///
/// Source: Valet 5.1. The raw values 3 and 7 are unused: they were the always-accessible classes until Valet 4.0.
public enum Accessibility: Int, CaseIterable, CustomStringConvertible, Equatable, Sendable {
    /// While the keychain is unlocked.
    case whenUnlocked = 1
    /// After the first unlock since the machine started.
    case afterFirstUnlock = 2
    /// While the keychain is unlocked and a passcode is set, on this device only.
    ///
    /// Removing the passcode deletes values of this class.
    case whenPasscodeSetThisDeviceOnly = 4
    /// While the keychain is unlocked, on this device only.
    case whenUnlockedThisDeviceOnly = 5
    /// After the first unlock since the machine started, on this device only.
    case afterFirstUnlockThisDeviceOnly = 6

    /// The part of a service name that stands for this accessibility.
    public var description: String {
        switch self {
        case .whenUnlocked: "AccessibleWhenUnlocked"
        case .afterFirstUnlock: "AccessibleAfterFirstUnlock"
        case .whenPasscodeSetThisDeviceOnly: "AccessibleWhenPasscodeSetThisDeviceOnly"
        case .whenUnlockedThisDeviceOnly: "AccessibleWhenUnlockedThisDeviceOnly"
        case .afterFirstUnlockThisDeviceOnly: "AccessibleAfterFirstUnlockThisDeviceOnly"
        }
    }

    /// The value of `kSecAttrAccessible` in items with this accessibility.
    public var secAccessibilityAttribute: String {
        let attribute =
            switch self {
            case .whenUnlocked: kSecAttrAccessibleWhenUnlocked
            case .afterFirstUnlock: kSecAttrAccessibleAfterFirstUnlock
            case .whenPasscodeSetThisDeviceOnly: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
            case .whenUnlockedThisDeviceOnly: kSecAttrAccessibleWhenUnlockedThisDeviceOnly
            case .afterFirstUnlockThisDeviceOnly: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            }
        return attribute as String
    }
}
