// SPDX-License-Identifier: Apache-2.0

public import Foundation
package import KeychainModel

/// When and by whom an item may be opened; two of them are equal if they say the same.
///
/// A dictionary holds one under `kSecAttrAccessControl`. Every attribute query returns one: of an item
/// without constraints it says only when the item can be opened.
public final class SecAccessControl: NSObject, Sendable {
    package let content: AccessControl

    init(_ content: AccessControl) { self.content = content }

    /// The constraints and how they combine, for programs of this package; Apple's API has no way to ask.
    package var constraints: SecAccessControlCreateFlags {
        SecAccessControlCreateFlags(rawValue: CFOptionFlags(content.flags))
    }

    /// Whether the other object is an access control that says the same.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? SecAccessControl)?.content == content
    }

    /// A number that equal access controls share.
    public override var hash: Int { content.hashValue }
}

/// The constraints of an access control and how they combine.
public struct SecAccessControlCreateFlags: OptionSet, Hashable, Sendable {
    /// The flags as one number.
    public let rawValue: CFOptionFlags

    /// Takes the flags as one number.
    public init(rawValue: CFOptionFlags) { self.rawValue = rawValue }

    /// The passcode or a biometric, as the user likes.
    public static let userPresence = Self(rawValue: 1 << 0)
    /// A biometric of anyone enrolled, now or later.
    public static let biometryAny = Self(rawValue: 1 << 1)
    /// A biometric, in the older name of ``biometryAny``.
    public static let touchIDAny = Self(rawValue: 1 << 1)
    /// A biometric of those who are enrolled when the item is made.
    public static let biometryCurrentSet = Self(rawValue: 1 << 3)
    /// A biometric, in the older name of ``biometryCurrentSet``.
    public static let touchIDCurrentSet = Self(rawValue: 1 << 3)
    /// The passcode.
    public static let devicePasscode = Self(rawValue: 1 << 4)
    /// A watch that is worn and unlocked.
    public static let watch = Self(rawValue: 1 << 5)
    /// A companion device, in the newer name of ``watch``.
    public static let companion = Self(rawValue: 1 << 5)
    /// One of several constraints is enough.
    public static let or = Self(rawValue: 1 << 14)
    /// Every one of several constraints is needed, which is the default.
    public static let and = Self(rawValue: 1 << 15)
    /// The constraints apply to the use of a private key and not to reading it.
    public static let privateKeyUsage = Self(rawValue: 1 << 30)
    /// A password of the program's own is needed besides.
    public static let applicationPassword = Self(rawValue: 1 << 31)
}

/// Makes an access control of a protection class and constraints.
///
/// An item takes it in place of `kSecAttrAccessible`: with both, or with `kSecAttrSynchronizable` true,
/// SecItemAdd answers `errSecParam`, even if there are no constraints.
///
/// - Parameters:
///   - allocator: Pass `nil` or `kCFAllocatorDefault`.
///   - protection: One of the `kSecAttrAccessible…` values.
///   - flags: The constraints; none by default of the option set.
///   - error: Receives the error on failure, retained for the caller. Pass `nil` to do without.
/// - Returns: The access control; `nil` with `errSecParam` if the protection is none of the seven values, or
///   the flags exclude each other: `or` with `and`, `biometryAny` with `biometryCurrentSet`, `userPresence`
///   with anything but `applicationPassword` and `privateKeyUsage`.
///
/// A finger opens an item with the package trait `Fingerprint`, where fprintd has a sensor, while the keychain is
/// unlocked; without it one that demands a biometric opens only if ``SecAccessControlCreateFlags/or`` allows the passcode
/// instead. One with `userPresence`, or with a biometric *or* the passcode, opens for a finger if one is enrolled when it is
/// made. One with `biometryCurrentSet` and nothing in its place cannot be added where nobody is enrolled:
/// `errSecAuthFailed`.
///
/// Source: Apple, *SecAccessControlCreateWithFlags(_:_:_:_:)*. Differs: an item with `biometryCurrentSet` is
/// `errSecItemNotFound` while other fingers are enrolled than when it was made, and is there again when they are the same.
/// Differs: with `privateKeyUsage` reading the key demands authentication, because the key is used by reading it. An item
/// that demands the user can be added only while a passcode is set, else SecItemAdd answers `errSecAuthFailed`.
@discardableResult
public func SecAccessControlCreateWithFlags(
    _ allocator: CFAllocator?,
    _ protection: CFTypeRef,
    _ flags: SecAccessControlCreateFlags,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? {
    let control = (protection as? String).flatMap { ProtectionClass(name: $0) }
        .map { AccessControl(protection: $0, flags: UInt64(flags.rawValue)) }
    guard let control, control.isConsistent else {
        unsafe error?.pointee = Unmanaged.passRetained(
            NSError(domain: NSOSStatusErrorDomain, code: Int(errSecParam))
        )
        return nil
    }
    return SecAccessControl(control)
}
