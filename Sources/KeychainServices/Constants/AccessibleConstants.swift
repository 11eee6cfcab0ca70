// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainModel

// MARK: Protection classes

/// While the keychain is unlocked; the default for passwords and keys.
@safe public nonisolated(unsafe) let kSecAttrAccessibleWhenUnlocked: CFString = name(of: .whenUnlocked)

/// After the first unlock.
@safe public nonisolated(unsafe) let kSecAttrAccessibleAfterFirstUnlock: CFString = name(
    of: .afterFirstUnlock
)

/// Always, even while locked; the default for certificates.
///
/// Deprecated by Apple.
@safe public nonisolated(unsafe) let kSecAttrAccessibleAlways: CFString = name(of: .always)

/// While the keychain is unlocked, on this device only.
@safe public nonisolated(unsafe) let kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString = name(
    of: .whenUnlockedThisDeviceOnly
)

/// After the first unlock, on this device only.
@safe public nonisolated(unsafe) let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = name(
    of: .afterFirstUnlockThisDeviceOnly
)

/// Always, even while locked, on this device only.
///
/// Deprecated by Apple.
@safe public nonisolated(unsafe) let kSecAttrAccessibleAlwaysThisDeviceOnly: CFString = name(
    of: .alwaysThisDeviceOnly
)

/// While the keychain is unlocked and a passcode is set, on this device only.
@safe public nonisolated(unsafe) let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString = name(
    of: .whenPasscodeSetThisDeviceOnly
)

/// The value of `pdmn` for a protection class, from the table of protection classes.
private func name(of protection: ProtectionClass) -> CFString { NSString(string: protection.name) }
