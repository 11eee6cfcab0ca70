// SPDX-License-Identifier: Apache-2.0

import KeychainModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Items as values, of every class.
///
/// What makes an item unique identifies it: the service and the account of a ``GenericPassword``, for example. The access
/// group is the item's, or else the vault's.
extension Vault {
    /// Reads the secret of an item.
    ///
    /// - Returns: The secret, empty if the item has none; `nil` if there certainly is no such item.
    /// - Throws: ``VaultError``.
    public func get(_ item: some KeychainItem) throws(VaultError) -> SecretBytes? {
        try secret(filter(item))
    }

    /// Adds an item.
    ///
    /// - Throws: ``VaultError``; its reason is ``VaultError/Reason-swift.enum/duplicate`` if there is such an item.
    public func add(_ item: some KeychainItem, secret: some SecretConvertible) throws(VaultError) {
        try add(item, secret.secret.data)
    }

    /// Adds an item that has no secret, as a certificate.
    ///
    /// - Throws: ``VaultError``; its reason is ``VaultError/Reason-swift.enum/duplicate`` if there is such an item.
    public func add(_ item: some KeychainItem) throws(VaultError) { try add(item, item.content.value) }

    /// Adds an item, or changes the one that is there: its secret, and the attributes that the value has.
    ///
    /// If it fails, what was there is there still.
    ///
    /// - Throws: ``VaultError``.
    public func set(_ item: some KeychainItem, secret: some SecretConvertible) throws(VaultError) {
        try set(item, secret.secret.data)
    }

    /// Stores an item that has no secret, as a certificate, in place of the one that is there.
    ///
    /// - Throws: ``VaultError``.
    public func set(_ item: some KeychainItem) throws(VaultError) { try set(item, item.content.value) }

    /// Removes an item; nothing is no failure.
    ///
    /// - Returns: Whether there was one.
    /// - Throws: ``VaultError``.
    @discardableResult
    public func remove(_ item: some KeychainItem) throws(VaultError) -> Bool { try remove(filter(item)) }

    /// Says whether there is an item, without reading its secret; the user is never asked.
    ///
    /// - Throws: ``VaultError``.
    public func contains(_ item: some KeychainItem) throws(VaultError) -> Bool { try contains(filter(item)) }

    /// Lists the items that match, without their secrets, in no order.
    ///
    /// On Linux the attributes of an item with an access control are as secret as its value: the user may be asked, unless
    /// the query leaves such items out.
    ///
    /// - Parameter query: Which items; all of a class by default of the query. It reaches every service.
    /// - Returns: The items, none if none matches.
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

    /// What a list of items has beside their attributes.
    public enum Inclusion: Sendable {
        /// The secret of each item; the user may be asked for them.
        case secret
    }

    /// Lists the items that match together with their secrets, in no order.
    ///
    /// - Parameters:
    ///   - query: Which items.
    ///   - inclusion: What is included: `.secret`.
    /// - Returns: The items, each with its secret, which is `nil` if it has none.
    /// - Throws: ``VaultError``; one secret that cannot be read is a failure of the whole call.
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

    /// Lists the generic passwords of the vault's service, without their secrets, in the order of their accounts.
    ///
    /// - Throws: ``VaultError``.
    public func items() throws(VaultError) -> [GenericPassword] {
        try items(matching: ofService).sorted { $0.account.bytes.lexicographicallyPrecedes($1.account.bytes) }
    }

    /// The keys that have a secret.
    ///
    /// - Returns: The keys; accounts that are no UTF-8, which another program made, are left out.
    /// - Throws: ``VaultError``.
    public func keys() throws(VaultError) -> Set<String> {
        Set(try items(matching: ofService).compactMap(\.account.string))
    }

    /// What was found of an item; of a certificate and an identity with the bytes of the certificate.
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

    /// The certificate of an identity whose key was not read.
    private func certificate(of identity: FoundItem) throws(VaultError) -> Data? {
        var filter = ItemFilter(itemClass: .certificate, synchronizable: .any)
        filter.reference = PersistentReference(itemClass: .certificate, item: identity.reference.item)
        return try findOne(filter, returning: .data, .list)?.secret
    }

    /// The passwords of the vault's service.
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

    /// The filter within the access group of the vault, unless it names one.
    func scoped(_ filter: ItemFilter) -> ItemFilter {
        guard let accessGroup, filter.attributes[.accessGroup] == nil else { return filter }
        var filter = filter
        filter.attributes[.accessGroup] = .text(accessGroup.rawValue)
        return filter
    }
}
