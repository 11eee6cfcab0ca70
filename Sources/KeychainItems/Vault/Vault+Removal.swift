// SPDX-License-Identifier: Apache-2.0

import KeychainModel

extension Vault {
    /// The items that `removeAll(_:)` removes; there is no default.
    public enum RemovalScope: Hashable, Sendable {
        /// The generic passwords of the vault's service, access group (if any) and synchronization setting.
        case service
        /// Every item in an access group, of all classes, services and programs.
        case accessGroup(AccessGroup)
    }

    /// Removes all items of a scope in one transaction.
    ///
    /// - Parameter scope: The items to remove.
    /// - Returns: Whether there were any items.
    /// - Throws: ``VaultError``. Nothing is removed in that case.
    @discardableResult
    public func removeAll(_ scope: RemovalScope) throws(VaultError) -> Bool {
        switch scope {
        case .service: return try removeAll(matching: ofService)
        case .accessGroup(let group):
            let classes: [ItemClass] = [.genericPassword, .internetPassword, .certificate, .key]
            var found: [Request] = []
            for itemClass in classes {
                var filter = ItemFilter(itemClass: itemClass, synchronizable: .any)
                filter.attributes[.accessGroup] = .string(group.rawValue)
                if try contains(filter) { found.append(.delete(DeleteRequest(filter: filter))) }
            }
            guard !found.isEmpty else { return false }
            try change(together: found, .remove)
            return true
        }
    }

    /// Removes all matching items in one transaction.
    ///
    /// - Parameter query: The query. Its limit is ignored for identities.
    /// - Returns: Whether there were any items.
    /// - Throws: ``VaultError``. Nothing is removed in that case. Its reason is
    ///   ``VaultError/Reason-swift.enum/invalidArgument`` if ``ItemQuery/includesConstrained`` is false, because the call
    ///   cannot leave out items with an access control.
    @discardableResult
    public func removeAll(matching query: ItemQuery<some KeychainItem>) throws(VaultError) -> Bool {
        guard query.includesConstrained else { throw VaultError(.invalidArgument, .remove) }
        let filter = scoped(query.filter)
        guard filter.itemClass != .identity, let limit = query.limit else {
            return try change(Request(deleting: filter), .remove)
        }
        var request = DeleteRequest(filter: filter)
        request.limit = .atMost(limit)
        return try change(.delete(request), .remove)
    }

    /// Returns the item of a persistent reference.
    ///
    /// - Parameters:
    ///   - reference: The reference.
    ///   - type: The type of the item, such as ``GenericPassword``.
    /// - Returns: The item; `nil` if it no longer exists.
    /// - Throws: ``VaultError``. Its reason is ``VaultError/Reason-swift.enum/invalidArgument`` if the
    ///   reference is to an item of another class.
    public func item<Item: KeychainItem>(
        _ reference: ItemReference,
        as type: Item.Type = GenericPassword.self
    ) throws(VaultError) -> Item? {
        guard reference.itemClass == Item.itemClass else { throw VaultError(.invalidArgument, .read) }
        let filter = ItemFilter(
            itemClass: Item.itemClass.itemClass,
            synchronizable: .any,
            reference: reference.reference
        )
        let isCertificate = Item.itemClass == .certificate
        let returning: ReturnKeys = isCertificate ? [.attributes, .data] : .attributes
        guard let found = try findOne(filter, returning: returning, .read) else { return nil }
        return Item(content: try content(found))
    }
}
