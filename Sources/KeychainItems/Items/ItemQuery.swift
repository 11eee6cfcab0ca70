// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// A query for items of a class, by their attributes.
///
/// An item matches if it has every attribute that the query sets.
///
/// ```swift
/// let accounts = try vault.items(matching: .genericPasswords(service: "com.example.mail"))
/// ```
public struct ItemQuery<Item: KeychainItem>: Hashable, Sendable {
    /// Whether local items match, synchronizable ones, or both.
    public enum Synchronization: Hashable, Sendable {
        /// Items that do not synchronize.
        case local
        /// Items that synchronize.
        case synchronizable
        /// All items.
        case any
    }

    package var content = ItemContent()

    /// Whether local items match, synchronizable ones, or both; both by default.
    public var synchronization = Synchronization.any
    /// The maximum number of results; `nil` for no limit.
    public var limit: Int?

    /// Whether items with an access control match.
    ///
    /// On Linux, the user may have to authenticate before the attributes of these items can be read.
    public var includesConstrained = true

    /// Creates a query that matches every item of the class.
    public init() {}

    /// The access group; `nil` matches the vault's group, or every group if the vault has none.
    public var accessGroup: AccessGroup? {
        get { content[.accessGroup].map { AccessGroup($0.description) } }
        set { content[.accessGroup] = newValue.map { ItemString($0.rawValue) } }
    }

    /// The label; `nil` matches any.
    public var label: ItemString? {
        get { content[.label] }
        set { content[.label] = newValue }
    }

    /// The accessibility; `nil` matches any.
    public var accessibility: ItemAccessibility? {
        get { content[.accessible].flatMap { ItemAccessibility(rawValue: $0.description) } }
        set { content[.accessible] = newValue.map { ItemString($0.rawValue) } }
    }
}

extension ItemQuery where Item: PasswordItem {
    /// The account; `nil` matches any.
    public var account: ItemString? {
        get { content[.account] }
        set { content[.account] = newValue }
    }
}

extension ItemQuery<GenericPassword> {
    /// The service; `nil` matches any.
    public var service: ItemString? {
        get { content[.service] }
        set { content[.service] = newValue }
    }

    /// The custom bytes of the program; `nil` matches any.
    public var generic: [UInt8]? {
        get { content[bytes: .generic] }
        set { content[bytes: .generic] = newValue }
    }

    /// Creates a query for generic passwords that have the given attributes.
    public static func genericPasswords(
        service: String? = nil,
        account: String? = nil,
        label: String? = nil,
        accessGroup: AccessGroup? = nil
    ) -> Self {
        var query = Self()
        query.service = service.map { ItemString($0) }
        query.account = account.map { ItemString($0) }
        query.label = label.map { ItemString($0) }
        query.accessGroup = accessGroup
        return query
    }
}

extension ItemQuery<InternetPassword> {
    /// The server; `nil` matches any.
    public var server: ItemString? {
        get { content[.server] }
        set { content[.server] = newValue }
    }

    /// Creates a query for internet passwords that have the given attributes.
    public static func internetPasswords(
        server: String? = nil,
        account: String? = nil,
        protocol: InternetProtocol? = nil,
        port: Int? = nil,
        accessGroup: AccessGroup? = nil
    ) -> Self {
        var query = Self()
        query.server = server.map { ItemString($0) }
        query.account = account.map { ItemString($0) }
        query.content[.protocol] = `protocol`.map { ItemString($0.rawValue) }
        query.content[number: .port] = port.map { Int64($0) }
        query.accessGroup = accessGroup
        return query
    }
}

extension ItemQuery {
    package var filter: ItemFilter {
        ItemFilter(
            itemClass: Item.itemClass.itemClass,
            attributes: content.attributes,
            synchronizable: {
                switch synchronization {
                case .local: .exactly(false)
                case .synchronizable: .exactly(true)
                case .any: .any
                }
            }()
        )
    }
}
