// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainModel

// MARK: Protection classes

/// Items are accessible while the keychain is unlocked; the default for passwords and keys.
@safe public nonisolated(unsafe) let kSecAttrAccessibleWhenUnlocked: CFString = name(of: .whenUnlocked)

/// Items are accessible after the first unlock since the system started.
@safe public nonisolated(unsafe) let kSecAttrAccessibleAfterFirstUnlock: CFString = name(
    of: .afterFirstUnlock
)

/// Items are always accessible, even while the keychain is locked; the default for certificates.
///
/// Deprecated by Apple.
@safe public nonisolated(unsafe) let kSecAttrAccessibleAlways: CFString = name(of: .always)

/// Items are accessible while the keychain is unlocked, on this device only.
@safe public nonisolated(unsafe) let kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString = name(
    of: .whenUnlockedThisDeviceOnly
)

/// Items are accessible after the first unlock since the system started, on this device only.
@safe public nonisolated(unsafe) let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = name(
    of: .afterFirstUnlockThisDeviceOnly
)

/// Items are always accessible, even while the keychain is locked, on this device only.
///
/// Deprecated by Apple.
@safe public nonisolated(unsafe) let kSecAttrAccessibleAlwaysThisDeviceOnly: CFString = name(
    of: .alwaysThisDeviceOnly
)

/// Items are accessible while the keychain is unlocked and a passcode is set, on this device only.
@safe public nonisolated(unsafe) let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString = name(
    of: .whenPasscodeSetThisDeviceOnly
)

private func name(of protection: ProtectionClass) -> CFString { NSString(string: protection.name) }
