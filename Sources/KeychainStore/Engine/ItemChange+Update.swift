// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Updates items, as SecItemUpdate does.
///
/// Source: Apple's published Security sources. *Differs*: all matching items change, or none does.
extension ItemChange {
    func update(_ requests: [UpdateRequest]) throws(StatusError) {
        // A tombstone can be replaced or deleted, but not updated.
        guard requests.allSatisfy({ $0.filter.itemClass.isStored && !$0.filter.tombstones }) else {
            throw StatusError(.itemNotFound)
        }
        try session.change { () throws(StatusError) in
            for request in requests {
                // Do not read a value that the update replaces.
                let options = SearchOptions(secrets: request.secret == nil)
                for match in try search.allMatches(request.filter, authorized.scope, options) {
                    guard let item = match.item else { continue }
                    try update(match.stored, item, request)
                }
            }
        }
    }

    private func update(
        _ stored: StoredRow,
        _ item: OpenedItem,
        _ request: UpdateRequest
    ) throws(StatusError) {
        let attributes = merged(item, request.attributes)
        var columns = columns(of: attributes, from: stored.row.columns, request.attributes)
        columns.protection = try ProtectionClass(
            of: request.attributes,
            request.accessControl,
            otherwise: columns.protection
        )
        let keyWrapper = try keyWrapper(of: item, after: request)
        // Encrypt the value again too: its associated data contains the item's version.
        let secret: SecretBuffer? =
            if let new = request.secret { new } else { try search.sealer.decryptedValue(of: item) }
        try removeTombstone(withIdentityOf: columns, replacing: stored)
        try session.replace(stored, with: seal(columns, attributes, secret, under: keyWrapper))
    }

    /// Returns the key wrapper after an update; `nil` if the item then has no constraints.
    ///
    /// A new access control replaces the constraints; a protection class without an access control removes them.
    private func keyWrapper(
        of item: OpenedItem,
        after request: UpdateRequest
    ) throws(StatusError) -> ItemKeyWrapper? {
        guard request.accessControl != nil || request.attributes[.accessible] != nil else {
            return item.keyWrapper
        }
        return try keyWrapper(for: request.accessControl)
    }

    /// Returns the columns after an update; the digests in them stay if no attribute changes.
    private func columns(
        of attributes: Attributes,
        from old: ItemColumns,
        _ changes: Attributes
    ) -> ItemColumns {
        var columns = old
        columns.version += 1
        guard !changes.isEmpty else { return columns }
        if let value = changes[.synchronizable] { columns.synchronizable = value == .number(1) }
        (columns.identity, columns.digests) = derived(
            old.itemClass,
            attributes,
            synchronizable: columns.synchronizable
        )
        return columns
    }

    private func merged(_ item: OpenedItem, _ changes: Attributes) -> Attributes {
        var attributes = item.attributes
        let previous = attributes[.modificationDate]
        for entry in changes.sealable(ItemSchema.of(item.row.columns.itemClass)).entries {
            attributes[entry.attribute] = entry.value
        }
        var now = session.store.clock()
        // The modification date must increase even if the clock was set back.
        if case .date(let before)? = previous, now <= before { now = before.nextUp }
        attributes[.modificationDate] = .date(now)
        return attributes
    }

    /// Removes a tombstone that has the new primary key of an updated item.
    private func removeTombstone(
        withIdentityOf columns: ItemColumns,
        replacing stored: StoredRow
    ) throws(StatusError) {
        guard columns.identity != stored.row.columns.identity,
            let other = try session.rows.row(.identity(columns.identity), secrets: false),
            other.row.columns.tombstone
        else { return }
        try checkTombstone(other)
        try session.delete(other)
    }
}
