// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// Which items of a class are wanted: those that agree in everything that is set.
///
/// ```swift
/// let accounts = try vault.items(matching: .genericPasswords(service: "com.example.mail"))
/// ```
public struct ItemQuery<Item: KeychainItem>: Hashable, Sendable {
    /// Which items are found, by whether they synchronize.
    public enum Synchronization: Hashable, Sendable {
        /// Those that do not.
        case local
        /// Those that do.
        case synchronizable
        /// All.
        case any
    }

    package var content = ItemContent()

    /// Which items are found, by whether they synchronize; by default all.
    public var synchronization = Synchronization.any
    /// The most items that are found; `nil` for all.
    public var limit: Int?

    /// Whether items with an access control are found, for which the user may be asked on Linux.
    public var includesConstrained = true

    /// Matches every item of the class.
    public init() {}

    /// The access group in which they are; `nil` for every group of the program.
    public var accessGroup: AccessGroup? {
        get { content[.accessGroup].map { AccessGroup($0.description) } }
        set { content[.accessGroup] = newValue.map { ItemString($0.rawValue) } }
    }

    /// The label that they have; `nil` for any.
    public var label: ItemString? {
        get { content[.label] }
        set { content[.label] = newValue }
    }

    /// When they can be read; `nil` for any.
    public var accessibility: ItemAccessibility? {
        get { content[.accessible].flatMap { ItemAccessibility(rawValue: $0.description) } }
        set { content[.accessible] = newValue.map { ItemString($0.rawValue) } }
    }
}

extension ItemQuery where Item: PasswordItem {
    /// The account that they have; `nil` for any.
    public var account: ItemString? {
        get { content[.account] }
        set { content[.account] = newValue }
    }
}

extension ItemQuery<GenericPassword> {
    /// The service that they have; `nil` for any.
    public var service: ItemString? {
        get { content[.service] }
        set { content[.service] = newValue }
    }

    /// The bytes of the program's own that they have; `nil` for any.
    public var generic: [UInt8]? {
        get { content[bytes: .generic] }
        set { content[bytes: .generic] = newValue }
    }

    /// Matches generic passwords by what is given.
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
    /// The server that they have; `nil` for any.
    public var server: ItemString? {
        get { content[.server] }
        set { content[.server] = newValue }
    }

    /// Matches internet passwords by what is given.
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
