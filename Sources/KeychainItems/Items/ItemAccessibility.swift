// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// When an item is readable, and whether it may leave the device.
///
/// The raw values are those of `kSecAttrAccessible`.
public enum ItemAccessibility: String, CaseIterable, Hashable, Sendable {
    /// While the keychain is unlocked.
    case whenUnlocked = "ak"
    /// While the keychain is unlocked; not restored from a backup to another device.
    case whenUnlockedThisDeviceOnly = "aku"
    /// From the first unlock until the machine restarts.
    case afterFirstUnlock = "ck"
    /// From the first unlock until the machine restarts.
    ///
    /// The item is not restored from a backup to another device.
    case afterFirstUnlockThisDeviceOnly = "cku"
    /// Always, even before the first unlock.
    case always = "dk"
    /// Always, even before the first unlock.
    ///
    /// The item is not restored from a backup to another device.
    case alwaysThisDeviceOnly = "dku"
    /// While the keychain is unlocked and a passcode is set.
    ///
    /// Removing the passcode deletes the item.
    case whenPasscodeSetThisDeviceOnly = "akpu"
}

extension ItemAccessibility {
    init(_ protection: ProtectionClass) { self = Self(rawValue: protection.name) ?? .whenUnlocked }

    var protection: ProtectionClass { ProtectionClass(name: rawValue) ?? .whenUnlocked }
}
