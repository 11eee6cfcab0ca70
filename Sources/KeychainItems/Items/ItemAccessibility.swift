// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// When an item can be read, and whether it leaves the device.
///
/// The raw values are those of `kSecAttrAccessible`.
public enum ItemAccessibility: String, CaseIterable, Hashable, Sendable {
    /// While the keychain is unlocked.
    case whenUnlocked = "ak"
    /// While the keychain is unlocked; not in a backup that is restored elsewhere.
    case whenUnlockedThisDeviceOnly = "aku"
    /// From the first unlock until the machine restarts.
    case afterFirstUnlock = "ck"
    /// From the first unlock until the machine restarts; not in a backup that is restored elsewhere.
    case afterFirstUnlockThisDeviceOnly = "cku"
    /// Always, even before the first unlock.
    case always = "dk"
    /// Always, even before the first unlock; not in a backup that is restored elsewhere.
    case alwaysThisDeviceOnly = "dku"
    /// While the keychain is unlocked, and only as long as a passcode is set: removing it destroys the item.
    case whenPasscodeSetThisDeviceOnly = "akpu"
}

extension ItemAccessibility {
    init(_ protection: ProtectionClass) { self = Self(rawValue: protection.name) ?? .whenUnlocked }

    var protection: ProtectionClass { ProtectionClass(name: rawValue) ?? .whenUnlocked }
}
