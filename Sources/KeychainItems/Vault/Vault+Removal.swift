// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Removing many items at once, and finding one by its reference.
extension Vault {
    /// What `removeAll(_:)` removes; there is no default.
    public enum RemovalScope: Hashable, Sendable {
        /// The secrets of the vault: the generic passwords of its service, in its access group if it names one.
        case service
        /// Every item of every class in an access group, of whatever service and program.
        case accessGroup(AccessGroup)
    }

    /// Removes all items of a scope, in one transaction; none is no failure.
    ///
    /// - Returns: Whether there was one.
    /// - Throws: ``VaultError``; nothing was removed then.
    @discardableResult
    public func removeAll(_ scope: RemovalScope) throws(VaultError) -> Bool {
        switch scope {
        case .service: return try removeAll(matching: ofService)
        case .accessGroup(let group):
            let classes: [ItemClass] = [.genericPassword, .internetPassword, .certificate, .key]
            var found: [Request] = []
            for itemClass in classes {
                var filter = ItemFilter(itemClass: itemClass, synchronizable: .any)
                filter.attributes[.accessGroup] = .text(group.rawValue)
                if try contains(filter) { found.append(.delete(DeleteRequest(filter: filter))) }
            }
            guard !found.isEmpty else { return false }
            try change(together: found, .remove)
            return true
        }
    }

    /// Removes all items that match, in one transaction; none is no failure.
    ///
    /// - Returns: Whether there was one.
    /// - Throws: ``VaultError``; nothing was removed then.
    @discardableResult
    public func removeAll(matching query: ItemQuery<some KeychainItem>) throws(VaultError) -> Bool {
        let filter = scoped(query.filter)
        guard filter.itemClass != .identity, let limit = query.limit else {
            return try change(Request(deleting: filter), .remove)
        }
        var request = DeleteRequest(filter: filter)
        request.limit = .atMost(limit)
        return try change(.delete(request), .remove)
    }

    /// The item of a reference that was stored earlier.
    ///
    /// - Parameters:
    ///   - reference: The reference.
    ///   - type: The class of the item.
    /// - Returns: The item as it is now; `nil` if it certainly is gone.
    /// - Throws: ``VaultError``; its reason is ``VaultError/Reason-swift.enum/invalidArgument`` for a reference to an item
    ///   of another class.
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
