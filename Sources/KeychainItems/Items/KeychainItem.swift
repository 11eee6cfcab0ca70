// SPDX-License-Identifier: Apache-2.0

import KeychainModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An item of the keychain without its secret: its attributes, as a value.
///
/// The types that conform are the item classes: ``GenericPassword``, ``InternetPassword``, ``Certificate``, ``Key`` and
/// ``Identity``. Changing a value changes nothing in the keychain: give it to a ``Vault``.
public protocol KeychainItem: Hashable, Sendable {
    /// What the keychain knows of the item.
    var content: ItemContent { get set }

    /// Makes an item of what the keychain knows.
    init(content: ItemContent)

    /// The class of the items of this type.
    static var itemClass: KeychainItemClass { get }
}

/// The classes of items.
public struct KeychainItemClass: Hashable, Sendable, CustomStringConvertible {
    let itemClass: ItemClass

    /// Passwords that have a service and an account.
    public static let genericPassword = Self(itemClass: .genericPassword)
    /// Passwords that have a server and an account.
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
    /// What the user reads in a list of items.
    public var label: ItemString? {
        get { content[.label] }
        set { content[.label] = newValue }
    }

    /// The access group; `nil` in an item that was not read from the keychain, for that of the vault.
    public var accessGroup: AccessGroup? {
        get { content[.accessGroup].map { AccessGroup($0.description) } }
        set { content[.accessGroup] = newValue.map { ItemString($0.rawValue) } }
    }

    /// When the item can be read; `nil` in an item that was not read from the keychain, for that of the vault.
    public var accessibility: ItemAccessibility? {
        get { content[.accessible].flatMap { ItemAccessibility(rawValue: $0.description) } }
        set { content[.accessible] = newValue.map { ItemString($0.rawValue) } }
    }

    /// What has to be proved before the item can be read; `nil` for nothing.
    public var accessControl: AccessControl? {
        get { content.accessControl.flatMap { AccessControl($0) } }
        set { content.accessControl = newValue?.control }
    }

    /// Whether the item is synchronized between the user's devices.
    public var isSynchronizable: Bool {
        get { content[flag: .synchronizable] ?? false }
        set { content[flag: .synchronizable] = newValue }
    }

    /// When the item was added; `nil` in an item that was not read from the keychain.
    public var created: Date? { content[date: .creationDate] }

    /// When the item was last changed; `nil` in an item that was not read from the keychain.
    public var modified: Date? { content[date: .modificationDate] }

    /// The handle of the item that survives every change of it; `nil` in an item that was not read from the keychain.
    public var reference: ItemReference? { content.reference.map { ItemReference($0) } }
}
