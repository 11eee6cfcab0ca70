// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

// Style: accessibility and access control as enumerations, with the names of today and those of iOS 9.

public enum Accessibility: CaseIterable, Sendable {
    case afterFirstUnlock, afterFirstUnlockThisDeviceOnly, always, alwaysThisDeviceOnly
    case whenPasscodeSetThisDeviceOnly, whenUnlocked, whenUnlockedThisDeviceOnly

    private static let values: [Accessibility: CFString] = [
        .afterFirstUnlock: kSecAttrAccessibleAfterFirstUnlock,
        .afterFirstUnlockThisDeviceOnly: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
        .always: kSecAttrAccessibleAlways,
        .alwaysThisDeviceOnly: kSecAttrAccessibleAlwaysThisDeviceOnly,
        .whenPasscodeSetThisDeviceOnly: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly,
        .whenUnlocked: kSecAttrAccessibleWhenUnlocked,
        .whenUnlockedThisDeviceOnly: kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
    ]

    var keychainAttrValue: CFString { Accessibility.values[self]! }

    static func forAttribute(_ value: CFString) -> Accessibility? {
        values.first { CFEqual($0.value, value) }?.key
    }
}

enum Protections {
    static let flags: [String: SecAccessControlCreateFlags] = [
        "userPresence": .userPresence, "touchIDAny": .touchIDAny, "touchIDCurrentSet": .touchIDCurrentSet,
        "biometryAny": .biometryAny, "biometryCurrentSet": .biometryCurrentSet,
        "devicePasscode": .devicePasscode, "watch": .watch, "privateKeyUsage": .privateKeyUsage,
        "applicationPassword": .applicationPassword,
        "either": [.touchIDCurrentSet, .or, .devicePasscode], "both": [.biometryAny, .and, .devicePasscode],
    ]

    static func control(
        _ flags: SecAccessControlCreateFlags,
        _ protection: CFString
    ) throws -> SecAccessControl {
        var error: Unmanaged<CFError>?
        guard
            let control = SecAccessControlCreateWithFlags(
                kCFAllocatorDefault,
                protection,
                flags,
                &error
            )
        else {
            throw error!.takeRetainedValue() as Error
        }
        return control
    }

    static func failure(_ flags: SecAccessControlCreateFlags) -> (domain: String, code: Int)? {
        var error: Unmanaged<CFError>? = nil
        let control = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, flags, &error)
        guard control == nil, let failure = error?.takeRetainedValue() else { return nil }
        return (CFErrorGetDomain(failure) as String, CFErrorGetCode(failure))
    }
}
