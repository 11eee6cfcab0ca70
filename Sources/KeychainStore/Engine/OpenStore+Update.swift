// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainModel

/// SecItemUpdate. Source: Apple's published Security sources. *Differs*: all matching items change, or none does.
extension OpenStore {
    mutating func update(
        _ requests: [UpdateRequest],
        _ authorized: AuthorizedRequest
    ) throws(StatusError) -> Response {
        // A tombstone is a memory of an identity: it can be revived or deleted, not changed.
        guard requests.allSatisfy({ $0.filter.itemClass.isStored && !$0.filter.tombstones }) else {
            throw StatusError(.itemNotFound)
        }
        try change { store throws(StatusError) in
            for request in requests {
                // Does not read a value that the update replaces.
                let options = SearchOptions(secrets: request.secret == nil)
                for match in try store.allMatches(request.filter, authorized.scope, options) {
                    guard let item = match.item else { continue }
                    try store.update(match.stored, item, request)
                }
            }
        }
        return .done
    }

    /// Everything that a filter means, before any of it changes.
    ///
    /// - Throws: `itemNotFound` where it means nothing.
    mutating func allMatches(
        _ filter: ItemFilter,
        _ scope: AccessScope,
        _ options: SearchOptions
    ) throws(StatusError) -> [Match] {
        var matches: [Match] = []
        try forEachMatch(filter, scope, options) { _, match throws(StatusError) in
            matches.append(match)
            return true
        }
        guard !matches.isEmpty else { throw StatusError(.itemNotFound) }
        return matches
    }

    private mutating func update(
        _ stored: StoredRow,
        _ item: OpenedItem,
        _ request: UpdateRequest
    ) throws(StatusError) {
        let old = stored.row.columns
        let protection = try Self.protection(
            of: request.attributes,
            request.accessControl,
            otherwise: old.protection
        )
        let attributes = merged(item, request.attributes)
        let columns = columns(of: attributes, protection, from: old, request.attributes)
        let opener = try opener(of: item, after: request)
        // The version is in the associated data of the value too: what changes is sealed as a whole.
        let secret: Data? = if let new = request.secret { new } else { try sealer.exposedSecret(of: item) }
        try removeTombstone(inTheWayOf: columns, of: stored)
        try replace(stored, with: sealed(columns, attributes, secret, under: opener).row)
    }

    /// What seals the item after an update: naming a class or an access control replaces the constraints.
    private mutating func opener(
        of item: OpenedItem,
        after request: UpdateRequest
    ) throws(StatusError) -> AccessOpener? {
        guard request.accessControl != nil || request.attributes[.accessible] != nil else {
            return item.opener
        }
        return try opener(for: request.accessControl)
    }

    /// The columns after an update; most updates change none that follows from the attributes.
    private mutating func columns(
        of attributes: Attributes,
        _ protection: ProtectionClass,
        from old: ItemColumns,
        _ changes: Attributes
    ) -> ItemColumns {
        guard changes.isEmpty else {
            return columns(
                item: old.item,
                old.itemClass,
                version: old.version + 1,
                attributes,
                protection: protection,
                synchronizable: changes[.synchronizable].map { $0 == .number(1) } ?? old.synchronizable,
                tombstone: old.tombstone
            )
        }
        var columns = old
        columns.version += 1
        columns.protection = protection
        return columns
    }

    private func merged(_ item: OpenedItem, _ changes: Attributes) -> Attributes {
        var attributes = item.attributes
        let previous = attributes[.modificationDate]
        for entry in Self.sealable(changes, ItemSchema.of(item.row.columns.itemClass)).entries {
            attributes[entry.attribute] = entry.value
        }
        var now = clock()
        // A clock that was set back must not make a change look older than the one before.
        if case .date(let before)? = previous, now <= before { now = before.nextUp }
        attributes[.modificationDate] = .date(now)
        return attributes
    }

    /// An invisible tombstone gives way to an item that takes its identity.
    private mutating func removeTombstone(
        inTheWayOf columns: ItemColumns,
        of stored: StoredRow
    ) throws(StatusError) {
        guard columns.identity != stored.row.columns.identity,
            let other = try items.row(.identity(columns.identity), secrets: false),
            other.row.columns.tombstone
        else { return }
        try ensureTombstone(other)
        try delete(other)
    }

    /// Makes sure that a row is the tombstone that its column says: an edited column must not give an item away.
    mutating func ensureTombstone(_ stored: StoredRow) throws(StatusError) {
        _ = try sealer.open(stored.row, with: &vouched.keybag)
        try verifyBucket(of: stored.row.columns.identity)
    }
}
