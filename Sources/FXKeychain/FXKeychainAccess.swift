// SPDX-License-Identifier: Apache-2.0

import KeychainServices

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

    /// The value of `kSecAttrAccessible`.
    ///
    /// Two of the constants are deprecated on Apple's platforms, hence their names as dictionaries have them.
    var attribute: String {
        switch self {
        case .accessibleWhenUnlocked: kSecAttrAccessibleWhenUnlocked as String
        case .accessibleAfterFirstUnlock: kSecAttrAccessibleAfterFirstUnlock as String
        case .accessibleAlways: "dk"
        case .accessibleWhenUnlockedThisDeviceOnly: kSecAttrAccessibleWhenUnlockedThisDeviceOnly as String
        case .accessibleAfterFirstUnlockThisDeviceOnly:
            kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly as String
        case .accessibleAlwaysThisDeviceOnly: "dku"
        }
    }
}
