// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Secrets in the keychain of the user: each under a key, or as an item with all its attributes.
///
/// ```swift
/// let vault = Vault(service: "com.example.mail")
/// try vault.set("correct horse", for: "alice")
/// let password = try vault.get("alice")
/// ```
///
/// A key is the account of a generic password, whose service is the vault's. Calls about items and queries reach the items
/// of every class and every program of the same access group.
///
/// `nil` is the answer for what certainly is not there. Every failure is thrown, as a ``VaultError``: that the keychain is
/// locked, for example, is ``VaultError/Reason-swift.enum/locked(until:)``.
///
/// A vault is a value, and any thread may use it. In an `async` function its calls are `async`: they wait off the caller's
/// actor.
public struct Vault: Sendable {
    /// The service of the secrets that have a key.
    public var service: String
    /// The access group in which items are looked for and made; `nil` for the groups of the program, its first for new items.
    public var accessGroup: AccessGroup?
    /// When new items can be read; `nil` for the default, which is ``ItemAccessibility/whenUnlocked``.
    ///
    /// It is no part of what a vault is: secrets that were set with another accessibility are found, and `set(_:for:)`
    /// gives them this one, unless it is `nil`.
    public var accessibility: ItemAccessibility?
    /// What has to be proved before new items can be read; `nil` for nothing.
    public var accessControl: AccessControl?
    /// Whether the secrets that have a key are synchronized between the user's devices.
    ///
    /// A vault finds those of its own kind only.
    public var isSynchronizable: Bool
    /// How the user is asked where an access control demands it; `nil` for a prompt in each call.
    public var session: AuthenticationSession?

    let backend: any ItemBackend

    /// Makes a vault.
    ///
    /// Nothing is opened or made in the keychain by that.
    ///
    /// - Parameters:
    ///   - service: The service, such as the identifier of the program.
    ///   - accessGroup: The access group; `nil` for those of the program.
    ///   - accessibility: When new items can be read; `nil` for the default.
    ///   - accessControl: What has to be proved before new items can be read.
    ///   - isSynchronizable: Whether the secrets are synchronized between the user's devices.
    public init(
        service: String,
        accessGroup: AccessGroup? = nil,
        accessibility: ItemAccessibility? = nil,
        accessControl: AccessControl? = nil,
        isSynchronizable: Bool = false
    ) {
        self.init(service: service, over: Self.systemBackend)
        self.accessGroup = accessGroup
        self.accessibility = accessibility
        self.accessControl = accessControl
        self.isSynchronizable = isSynchronizable
    }

    package init(service: String, over backend: any ItemBackend) {
        self.service = service
        isSynchronizable = false
        self.backend = backend
    }

    /// The vault of the program: its service is the program's identifier, or the name of the executable.
    public static var standard: Vault { Vault(service: nameOfProgram) }
}

extension Vault {
    /// The item that a key stands for.
    ///
    /// - Throws: ``VaultError/Reason-swift.enum/emptyKey``.
    func item(_ key: String, _ operation: VaultError.Operation) throws(VaultError) -> GenericPassword {
        guard !key.isEmpty else { throw VaultError(.emptyKey, operation) }
        var item = GenericPassword(service: service, account: key)
        if isSynchronizable { item.isSynchronizable = true }
        return item
    }

    /// The filter for the item that a key stands for.
    func filter(_ key: String, _ operation: VaultError.Operation) throws(VaultError) -> ItemFilter {
        guard !key.isEmpty else { throw VaultError(.emptyKey, operation) }
        var attributes = Attributes(reservingCapacity: 3)
        if let accessGroup { attributes[.accessGroup] = .text(accessGroup.rawValue) }
        attributes[.account] = .text(key)
        attributes[.service] = .text(service)
        return ItemFilter(
            itemClass: .genericPassword,
            attributes: attributes,
            synchronizable: .exactly(isSynchronizable)
        )
    }

    /// The filter for an item: what makes it unique, in the access group that it or the vault names.
    func filter(_ item: some KeychainItem) -> ItemFilter {
        let itemClass = type(of: item).itemClass.itemClass
        var attributes = Attributes()
        attributes[.accessGroup] =
            item.content.attributes[.accessGroup] ?? accessGroup.map { .text($0.rawValue) }
        for rule in ItemSchema.of(itemClass).identifying {
            attributes[rule.attribute] = item.content.attributes[rule.attribute] ?? rule.initial
        }
        return ItemFilter(
            itemClass: itemClass,
            attributes: attributes,
            synchronizable: .exactly(item.isSynchronizable)
        )
    }
}
