// SPDX-License-Identifier: Apache-2.0

import KeychainItems

/// When new and updated items are readable.
public enum FXKeychainAccess: Int, CaseIterable, Sendable {
    /// While the keychain is unlocked.
    case accessibleWhenUnlocked
    /// After the first unlock.
    case accessibleAfterFirstUnlock
    /// Always, even while the keychain is locked.
    case accessibleAlways
    /// While the keychain is unlocked, on this device only.
    case accessibleWhenUnlockedThisDeviceOnly
    /// After the first unlock, on this device only.
    case accessibleAfterFirstUnlockThisDeviceOnly
    /// Always, even while the keychain is locked, on this device only.
    case accessibleAlwaysThisDeviceOnly

    var itemAccessibility: ItemAccessibility {
        switch self {
        case .accessibleWhenUnlocked: .whenUnlocked
        case .accessibleAfterFirstUnlock: .afterFirstUnlock
        case .accessibleAlways: .always
        case .accessibleWhenUnlockedThisDeviceOnly: .whenUnlockedThisDeviceOnly
        case .accessibleAfterFirstUnlockThisDeviceOnly: .afterFirstUnlockThisDeviceOnly
        case .accessibleAlwaysThisDeviceOnly: .alwaysThisDeviceOnly
        }
    }
}
