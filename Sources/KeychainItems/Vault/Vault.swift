// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Stores secrets in the user's keychain, by key or as items.
///
/// ```swift
/// let vault = Vault(service: "com.example.mail")
/// try vault.set("correct horse", for: "alice")
/// let password = try vault.get("alice")
/// ```
///
/// A key is the account of a generic password, whose service is the vault's. Calls that take an item or a
/// query work on all item classes, and on items of other programs in the same access groups.
///
/// A `nil` result means that the secret does not exist. Every failure throws a ``VaultError``: for a locked
/// keychain, for example, its reason is ``VaultError/Reason-swift.enum/locked(until:)``.
///
/// A vault is a value that any thread may use. In an `async` function its calls are `async`, and they do not
/// block the caller's actor.
public struct Vault: Sendable {
    /// The service of secrets that are stored by key.
    public var service: String
    /// The access group that is searched, and to which items are added.
    ///
    /// If it is `nil`, a vault searches all access groups of the program and adds items to the first.
    public var accessGroup: AccessGroup?
    /// The accessibility of new items.
    ///
    /// If it is `nil`, new items are ``ItemAccessibility/whenUnlocked``, and new certificates
    /// ``ItemAccessibility/always``. Otherwise, `set(_:for:)` also gives this accessibility to an existing secret,
    /// and removes the access control of the secret if ``accessControl`` is `nil`. A vault finds secrets of any
    /// accessibility.
    public var accessibility: ItemAccessibility?
    /// The access control of new items; `nil` for none.
    ///
    /// `set(_:for:)` also gives this access control to an existing secret. If both `accessControl` and
    /// ``accessibility`` are `nil`, an existing secret keeps its access control.
    public var accessControl: AccessControl?
    /// Whether secrets stored by key synchronize between the user's devices.
    ///
    /// A vault finds only secrets with the same setting.
    public var isSynchronizable: Bool
    /// The authentication session; `nil` if the user authenticates for each call.
    public var session: AuthenticationSession?

    let backend: any ItemBackend

    /// Creates a vault without accessing the keychain.
    ///
    /// - Parameters:
    ///   - service: The service, such as the identifier of the program.
    ///   - accessGroup: The access group; `nil` for all groups of the program.
    ///   - accessibility: The accessibility of new items; `nil` for the default.
    ///   - accessControl: The access control of new items; `nil` for none.
    ///   - isSynchronizable: Whether secrets synchronize between the user's devices.
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

    /// The program's vault.
    ///
    /// Its service is the program's identifier, or the name of the executable.
    public static var standard: Vault { Vault(service: nameOfProgram) }
}

extension Vault {
    /// Returns an item that describes the secret of a key.
    ///
    /// - Throws: ``VaultError/Reason-swift.enum/emptyKey``.
    func item(_ key: String, _ operation: VaultError.Operation) throws(VaultError) -> GenericPassword {
        guard !key.isEmpty else { throw VaultError(.emptyKey, operation) }
        var item = GenericPassword(service: service, account: key)
        if isSynchronizable { item.isSynchronizable = true }
        return item
    }

    func filter(_ key: String, _ operation: VaultError.Operation) throws(VaultError) -> ItemFilter {
        guard !key.isEmpty else { throw VaultError(.emptyKey, operation) }
        var attributes = Attributes(reservingCapacity: 3)
        if let accessGroup { attributes[.accessGroup] = .string(accessGroup.rawValue) }
        attributes[.account] = .string(key)
        attributes[.service] = .string(service)
        return ItemFilter(
            itemClass: .genericPassword,
            attributes: attributes,
            synchronizable: .exactly(isSynchronizable)
        )
    }

    /// Returns the filter for an item, by its primary key attributes and access group.
    func filter(_ item: some KeychainItem) -> ItemFilter {
        let itemClass = type(of: item).itemClass.itemClass
        var attributes = Attributes()
        attributes[.accessGroup] =
            item.content.attributes[.accessGroup] ?? accessGroup.map { .string($0.rawValue) }
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
