// SPDX-License-Identifier: Apache-2.0

import KeychainModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The attributes of a keychain item, without its secret.
///
/// The item classes conform to this protocol: ``GenericPassword``, ``InternetPassword``, ``Certificate``,
/// ``Key`` and ``Identity``. Items are values: to change the keychain, pass an item to a ``Vault``.
public protocol KeychainItem: Hashable, Sendable {
    /// The stored attributes of the item.
    var content: ItemContent { get set }

    /// Creates an item from stored attributes.
    init(content: ItemContent)

    /// The item class of this type.
    static var itemClass: KeychainItemClass { get }
}

/// A class of keychain items, such as generic passwords.
public struct KeychainItemClass: Hashable, Sendable, CustomStringConvertible {
    let itemClass: ItemClass

    /// Passwords that are identified by service and account.
    public static let genericPassword = Self(itemClass: .genericPassword)
    /// Passwords that are identified by server and account.
    public static let internetPassword = Self(itemClass: .internetPassword)
    /// Certificates.
    public static let certificate = Self(itemClass: .certificate)
    /// Cryptographic keys.
    public static let key = Self(itemClass: .key)
    /// Certificates together with their private keys.
    public static let identity = Self(itemClass: .identity)

    /// The value of `kSecClass`.
    public var description: String { itemClass.name }
}

extension KeychainItem {
    /// The label that the user sees in a list of items.
    public var label: ItemString? {
        get { content[.label] }
        set { content[.label] = newValue }
    }

    /// The access group of the item.
    ///
    /// It is `nil` in a new item until the program sets it. If it is still `nil` when the item is added, the
    /// vault's access group applies.
    public var accessGroup: AccessGroup? {
        get { content[.accessGroup].map { AccessGroup($0.description) } }
        set { content[.accessGroup] = newValue.map { ItemString($0.rawValue) } }
    }

    /// When the item is readable.
    ///
    /// It is `nil` in a new item until the program sets it. If it is still `nil` when the item is added, the
    /// vault's accessibility applies. If the item or the vault has an access control, the accessibility of the
    /// access control applies instead.
    public var accessibility: ItemAccessibility? {
        get { content[.accessible].flatMap { ItemAccessibility(rawValue: $0.description) } }
        set { content[.accessible] = newValue.map { ItemString($0.rawValue) } }
    }

    /// The access control of the item; `nil` if it has none.
    ///
    /// If it is `nil` when the item is added, the vault's access control applies.
    public var accessControl: AccessControl? {
        get { content.accessControl.flatMap { AccessControl($0) } }
        set { content.accessControl = newValue?.control }
    }

    /// Whether the item synchronizes between the user's devices.
    public var isSynchronizable: Bool {
        get { content[flag: .synchronizable] ?? false }
        set { content[flag: .synchronizable] = newValue }
    }

    /// The date when the item was added.
    ///
    /// It is `nil` in an item that was not read from the keychain.
    public var created: Date? { content[date: .creationDate] }

    /// The date when the item was last changed.
    ///
    /// It is `nil` in an item that was not read from the keychain.
    public var modified: Date? { content[date: .modificationDate] }

    /// The persistent reference of the item, which never changes.
    ///
    /// It is `nil` in an item that was not read from the keychain.
    public var reference: ItemReference? { content.reference.map { ItemReference($0) } }
}
