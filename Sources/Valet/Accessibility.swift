// SPDX-License-Identifier: Apache-2.0

import KeychainServices

/// When what a valet keeps can be read: the protection class of its items.
///
/// Source: Valet 5.1. The numbers 3 and 7 were those of the classes that are always accessible, gone since 4.0.
public enum Accessibility: Int, CaseIterable, CustomStringConvertible, Equatable, Sendable {
    /// While the keychain is unlocked.
    case whenUnlocked = 1
    /// From the first unlock after a start of the machine.
    case afterFirstUnlock = 2
    /// While the keychain is unlocked and a passcode is set; gone with the passcode, and never on another device.
    case whenPasscodeSetThisDeviceOnly = 4
    /// While the keychain is unlocked; never on another device.
    case whenUnlockedThisDeviceOnly = 5
    /// From the first unlock after a start of the machine; never on another device.
    case afterFirstUnlockThisDeviceOnly = 6

    /// The name that is part of the service under which items are stored.
    public var description: String {
        switch self {
        case .whenUnlocked: "AccessibleWhenUnlocked"
        case .afterFirstUnlock: "AccessibleAfterFirstUnlock"
        case .whenPasscodeSetThisDeviceOnly: "AccessibleWhenPasscodeSetThisDeviceOnly"
        case .whenUnlockedThisDeviceOnly: "AccessibleWhenUnlockedThisDeviceOnly"
        case .afterFirstUnlockThisDeviceOnly: "AccessibleAfterFirstUnlockThisDeviceOnly"
        }
    }

    /// The value of `kSecAttrAccessible` that items have.
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
