// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

// This sample program has enumerations for accessibility and access control, with current names and those
// of iOS 9.

protocol AttributeValue {
    var keychainAttrValue: CFString { get }
}

public enum Accessibility: Sendable {
    @available(iOS 4, *)
    case afterFirstUnlock
    @available(iOS 4, *)
    case afterFirstUnlockThisDeviceOnly
    @available(iOS 4, *)
    case always
    @available(iOS 8, *)
    case whenPasscodeSetThisDeviceOnly
    @available(iOS 4, *)
    case alwaysThisDeviceOnly
    @available(iOS 4, *)
    case whenUnlocked
    @available(iOS 4, *)
    case whenUnlockedThisDeviceOnly

    static func forAttribute(_ keychainAttrValue: CFString) -> Accessibility? {
        for (key, value) in accessibilityValues {
            if value == keychainAttrValue { return key }
        }
        return nil
    }
}

private let accessibilityValues: [Accessibility: CFString] = {
    let values: [Accessibility: CFString] = [
        .afterFirstUnlock: kSecAttrAccessibleAfterFirstUnlock,
        .afterFirstUnlockThisDeviceOnly: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
        .always: kSecAttrAccessibleAlways,
        .whenPasscodeSetThisDeviceOnly: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly,
        .alwaysThisDeviceOnly: kSecAttrAccessibleAlwaysThisDeviceOnly,
        .whenUnlocked: kSecAttrAccessibleWhenUnlocked,
        .whenUnlockedThisDeviceOnly: kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
    ]
    return values
}()

extension Accessibility: AttributeValue {
    internal var keychainAttrValue: CFString { accessibilityValues[self]! }
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
