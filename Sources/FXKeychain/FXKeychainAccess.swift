// SPDX-License-Identifier: Apache-2.0

import KeychainItems

/// When the items that are written can be read.
public enum FXKeychainAccess: Int, CaseIterable, Sendable {
    /// While the keychain is unlocked.
    case accessibleWhenUnlocked
    /// From the first unlocking on.
    case accessibleAfterFirstUnlock
    /// Always, even locked.
    case accessibleAlways
    /// While the keychain is unlocked, on this device alone.
    case accessibleWhenUnlockedThisDeviceOnly
    /// From the first unlocking on, on this device alone.
    case accessibleAfterFirstUnlockThisDeviceOnly
    /// Always, even locked, on this device alone.
    case accessibleAlwaysThisDeviceOnly

    /// The same as the typed API names it.
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
