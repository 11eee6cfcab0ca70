// SPDX-License-Identifier: Apache-2.0

public import Foundation
package import KeychainModel

/// A protection class, and constraints on reading an item, such as authentication of the user.
///
/// Two objects that ``SecAccessControlCreateWithFlags(_:_:_:_:)`` created with the same protection class and
/// constraints are equal. In dictionaries, the key of the object is `kSecAttrAccessControl`. Every query for
/// attributes returns an access control. For an item that was added without one, it contains only the
/// protection class, and never equals one that the function created.
public final class SecAccessControl: NSObject, Sendable {
    package let content: AccessControl

    init(_ content: AccessControl) { self.content = content }

    /// The constraints and how they combine; Apple has no public API for them.
    package var constraints: SecAccessControlCreateFlags {
        SecAccessControlCreateFlags(rawValue: CFOptionFlags(content.flags))
    }

    /// Whether the other object is an equal access control.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? SecAccessControl)?.content == content
    }

    /// A hash value, which is the same for equal access controls.
    public override var hash: Int { content.hashValue }
}

/// The constraints of an access control and how they combine.
public struct SecAccessControlCreateFlags: OptionSet, Hashable, Sendable {
    /// The raw bits of the flags.
    public let rawValue: CFOptionFlags

    /// Creates flags from raw bits.
    public init(rawValue: CFOptionFlags) { self.rawValue = rawValue }

    /// Requires the passcode or biometry, whichever the user chooses.
    public static let userPresence = Self(rawValue: 1 << 0)
    /// Requires an enrolled finger, which may have been enrolled after the item was added.
    public static let biometryAny = Self(rawValue: 1 << 1)
    /// Deprecated alias of ``biometryAny``.
    public static let touchIDAny = Self(rawValue: 1 << 1)
    /// Requires a finger, and the same enrolled fingers as when the item was added.
    public static let biometryCurrentSet = Self(rawValue: 1 << 3)
    /// Deprecated alias of ``biometryCurrentSet``.
    public static let touchIDCurrentSet = Self(rawValue: 1 << 3)
    /// Requires the keychain's passcode.
    public static let devicePasscode = Self(rawValue: 1 << 4)
    /// Requires a watch that is worn and unlocked, which is not available on Linux.
    public static let watch = Self(rawValue: 1 << 5)
    /// Requires a companion device; the newer name of ``watch``.
    public static let companion = Self(rawValue: 1 << 5)
    /// Combines several constraints so that any one of them suffices.
    public static let or = Self(rawValue: 1 << 14)
    /// Combines several constraints so that all of them are required, which is the default.
    public static let and = Self(rawValue: 1 << 15)
    /// Applies the constraints to using a private key that securityd keeps, not to finding it.
    ///
    /// For any other private key, the constraints apply to reading the key.
    public static let privateKeyUsage = Self(rawValue: 1 << 30)
    /// Also requires an application password, which the program supplies or the user enters.
    public static let applicationPassword = Self(rawValue: 1 << 31)

    /// Only a program that securityd has identified by the digest of its executable may use the item.
    ///
    /// This flag, ``minimumLevelSandbox`` and ``minimumLevelGroup`` require a minimum level, which says how
    /// strongly a program is identified. A program below the level gets `errSecMissingEntitlement` when it
    /// adds, reads, changes or deletes such an item; a query with `kSecMatchLimitAll` omits the item. Apple
    /// has no such flags. Use at most one of the three, and none with ``userPresence``.
    public static let minimumLevelDigest = Self(minimum: .digest)
    /// Only a signed program in a kernel sandbox, or at the level ``minimumLevelGroup``, may use the item.
    public static let minimumLevelSandbox = Self(minimum: .sandbox)
    /// Only a signed program that runs with the system group of its team may use the item.
    public static let minimumLevelGroup = Self(minimum: .group)

    private init(minimum level: CallerLevel) {
        rawValue = CFOptionFlags(ConstraintBit.minimumLevel(level))
    }
}

/// Creates an access control from a protection class and constraints.
///
/// The access control replaces `kSecAttrAccessible`: if a dictionary contains both keys, or if
/// `kSecAttrSynchronizable` is true, SecItemAdd returns `errSecParam`, even if there are no constraints.
///
/// - Parameters:
///   - allocator: Pass `nil` or `kCFAllocatorDefault`.
///   - protection: One of the `kSecAttrAccessible…` values.
///   - flags: The constraints; an empty set for none.
///   - error: Receives the error on failure, retained for the caller. May be `nil`.
/// - Returns: The access control; `nil` with `errSecParam` if the protection is not one of the seven values,
///   or the flags exclude each other: `or` with `and`, `biometryAny` with `biometryCurrentSet`,
///   `userPresence` with any flag other than `applicationPassword` and `privateKeyUsage`.
///
/// With the package trait `Fingerprint` and a sensor managed by fprintd, a finger opens an item while the
/// keychain is unlocked. Without a sensor, an item that requires biometry opens only if
/// ``SecAccessControlCreateFlags/or`` allows the passcode instead. An item with `userPresence`, or with
/// biometry *or* the passcode, can be opened with a finger if one was enrolled when the item was added. An
/// item with `biometryCurrentSet` and no alternative cannot be added while no finger is enrolled:
/// `errSecAuthFailed`.
///
/// An item that requires authentication of the user can be added only while a passcode is set; otherwise
/// SecItemAdd returns `errSecAuthFailed`.
///
/// Source: Apple, *SecAccessControlCreateWithFlags(_:_:_:_:)*. Differs: an item with `biometryCurrentSet` is
/// not found (`errSecItemNotFound`) while other fingers are enrolled than when the item was added; it is found
/// again once the original fingers are enrolled again. Differs: with `privateKeyUsage`, reading a private key
/// requires authentication, because a program uses the key by reading it. If securityd keeps the
/// key, only using it requires authentication, as on Apple's platforms.
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
