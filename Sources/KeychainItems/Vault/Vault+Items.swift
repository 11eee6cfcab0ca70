// SPDX-License-Identifier: Apache-2.0

import KeychainModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Calls that take an item, of any class.
///
/// An item is identified by its primary key attributes, such as the service and account of a
/// ``GenericPassword``. If the item has no access group, the vault's applies.
extension Vault {
    /// Reads the secret of an item.
    ///
    /// - Parameter item: The item.
    /// - Returns: The secret, empty if the item has none; `nil` if the item does not exist.
    /// - Throws: ``VaultError``.
    public func get(_ item: some KeychainItem) throws(VaultError) -> SecretBytes? {
        try secret(filter(item))
    }

    /// Adds an item.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - secret: The secret of the item.
    /// - Throws: ``VaultError``. Its reason is ``VaultError/Reason-swift.enum/duplicate`` if the item already
    ///   exists.
    public func add(_ item: some KeychainItem, secret: some SecretConvertible) throws(VaultError) {
        try add(item, secret.secret.buffer)
    }

    /// Adds an item that has no secret, such as a certificate.
    ///
    /// - Parameter item: The item.
    /// - Throws: ``VaultError``. Its reason is ``VaultError/Reason-swift.enum/duplicate`` if the item already
    ///   exists.
    public func add(_ item: some KeychainItem) throws(VaultError) { try add(item, item.content.value) }

    /// Adds an item, or updates the existing one.
    ///
    /// Updating changes the secret and the attributes that are set in `item`. It also applies the vault's
    /// accessibility and access control, unless they are `nil` or `item` has its own. If the call fails, the
    /// existing item is unchanged.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - secret: The secret of the item.
    /// - Throws: ``VaultError``.
    public func set(_ item: some KeychainItem, secret: some SecretConvertible) throws(VaultError) {
        try set(item, secret.secret.buffer)
    }

    /// Adds or updates an item that has no secret, such as a certificate.
    ///
    /// - Parameter item: The item.
    /// - Throws: ``VaultError``.
    public func set(_ item: some KeychainItem) throws(VaultError) { try set(item, item.content.value) }

    /// Removes an item, if it exists.
    ///
    /// - Parameter item: The item.
    /// - Returns: Whether the item existed.
    /// - Throws: ``VaultError``.
    @discardableResult
    public func remove(_ item: some KeychainItem) throws(VaultError) -> Bool { try remove(filter(item)) }

    /// Returns whether an item exists, without reading its secret.
    ///
    /// The call is non-interactive.
    ///
    /// - Parameter item: The item.
    /// - Returns: Whether the item exists.
    /// - Throws: ``VaultError``.
    public func contains(_ item: some KeychainItem) throws(VaultError) -> Bool { try contains(filter(item)) }

    /// Returns the matching items without their secrets, in no particular order.
    ///
    /// On Linux, the attributes of an item with an access control are encrypted like its value. The user may
    /// have to authenticate unless the query excludes such items.
    ///
    /// - Parameter query: The query. It matches all items of the class by default, of every service.
    /// - Returns: The matching items.
    /// - Throws: ``VaultError``.
    public func items<Item: KeychainItem>(
        matching query: ItemQuery<Item>
    ) throws(VaultError) -> [Item] {
        let isCertificate = Item.itemClass == .certificate
        let request = request(query, returning: isCertificate ? [.attributes, .data] : .attributes)
        var items: [Item] = []
        for found in try find(request, .list) { items.append(Item(content: try content(found))) }
        return items
    }

    /// What a list of items includes besides their attributes.
    public enum Inclusion: Sendable {
        /// The secret of each item; the user may have to authenticate.
        case secret
    }

    /// Returns the matching items with their secrets, in no particular order.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - inclusion: What the list includes: `.secret`.
    /// - Returns: The items with their secrets; a secret is `nil` if the item has none.
    /// - Throws: ``VaultError``. If one secret cannot be read, the whole call fails.
    public func items<Item: KeychainItem>(
        matching query: ItemQuery<Item>,
        including inclusion: Inclusion
    ) throws(VaultError) -> [(item: Item, secret: SecretBytes?)] {
        var items: [(item: Item, secret: SecretBytes?)] = []
        for found in try find(request(query, returning: [.attributes, .data]), .list) {
            items.append((Item(content: try content(found)), found.secret.map { SecretBytes($0) }))
        }
        return items
    }

    /// Returns the generic passwords of the vault's service, sorted by account.
    ///
    /// Only items with the vault's access group, if it has one, and its synchronization setting are returned. They
    /// do not include their secrets.
    ///
    /// - Returns: The items.
    /// - Throws: ``VaultError``.
    public func items() throws(VaultError) -> [GenericPassword] {
        try items(matching: ofService).sorted { $0.account.bytes.lexicographicallyPrecedes($1.account.bytes) }
    }

    /// Returns the keys in the vault's service.
    ///
    /// - Returns: The keys of the items that `items()` returns. Third-party items whose account is not valid UTF-8
    ///   are omitted.
    /// - Throws: ``VaultError``.
    public func keys() throws(VaultError) -> Set<String> {
        Set(try items(matching: ofService).compactMap(\.account.string))
    }

    /// Returns the attributes of a found item; for a certificate or an identity, also the certificate's DER.
    func content(_ found: FoundItem) throws(VaultError) -> ItemContent {
        var content = ItemContent(found)
        switch found.reference.itemClass {
        case .certificate: content.value = found.secret
        case .identity:
            content.value = if let value = found.certificate { value } else { try certificate(of: found) }
        case .genericPassword, .internetPassword, .key: break
        }
        return content
    }

    /// Reads the certificate of an identity of which a search has returned only the attributes.
    private func certificate(of identity: FoundItem) throws(VaultError) -> SecretBuffer? {
        var filter = ItemFilter(itemClass: .certificate, synchronizable: .any)
        filter.reference = PersistentReference(itemClass: .certificate, item: identity.reference.item)
        return try findOne(filter, returning: .data, .list)?.secret
    }

    /// The query for the secrets that the vault stores by key.
    ///
    /// They have the vault's service, its access group if it has one, and its synchronization setting.
    var ofService: ItemQuery<GenericPassword> {
        var query = ItemQuery.genericPasswords(service: service, accessGroup: accessGroup)
        query.synchronization = isSynchronizable ? .synchronizable : .local
        return query
    }

    private func request(_ query: ItemQuery<some KeychainItem>, returning: ReturnKeys) -> CopyRequest {
        let limit = query.limit.map { MatchLimit.atMost($0) } ?? .all
        var request = CopyRequest(filter: scoped(query.filter), limit: limit, returning: returning)
        request.skipsConstrained = !query.includesConstrained
        return request
    }

    /// Returns the filter, restricted to the vault's access group unless the filter names a group.
    func scoped(_ filter: ItemFilter) -> ItemFilter {
        guard let accessGroup, filter.attributes[.accessGroup] == nil else { return filter }
        var filter = filter
        filter.attributes[.accessGroup] = .string(accessGroup.rawValue)
        return filter
    }
}
