// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainModel

// MARK: When an item can be opened

/// While the keychain is unlocked: the default of passwords and keys.
@safe public nonisolated(unsafe) let kSecAttrAccessibleWhenUnlocked: CFString = name(of: .whenUnlocked)

/// From the first unlocking on.
@safe public nonisolated(unsafe) let kSecAttrAccessibleAfterFirstUnlock: CFString = name(
    of: .afterFirstUnlock
)

/// Always, even locked: the default of certificates; deprecated on Apple's platforms.
@safe public nonisolated(unsafe) let kSecAttrAccessibleAlways: CFString = name(of: .always)

/// While the keychain is unlocked, on this device alone.
@safe public nonisolated(unsafe) let kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString = name(
    of: .whenUnlockedThisDeviceOnly
)

/// From the first unlocking on, on this device alone.
@safe public nonisolated(unsafe) let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = name(
    of: .afterFirstUnlockThisDeviceOnly
)

/// Always, even locked, on this device alone; deprecated on Apple's platforms.
@safe public nonisolated(unsafe) let kSecAttrAccessibleAlwaysThisDeviceOnly: CFString = name(
    of: .alwaysThisDeviceOnly
)

/// While the keychain is unlocked, on this device alone, and only as long as a passcode is set.
@safe public nonisolated(unsafe) let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString = name(
    of: .whenPasscodeSetThisDeviceOnly
)

/// The name of a protection class as a dictionary has it: the table of protection classes is the source.
private func name(of protection: ProtectionClass) -> CFString { NSString(string: protection.name) }
