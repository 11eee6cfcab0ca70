// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// A new item before encryption.
struct ItemDraft {
    let identity: ItemIdentity
    let digests: [UInt8]
    let protection: ProtectionClass
    let synchronizable: Bool
    let attributes: Attributes
    let secret: SecretBuffer?
    let accessControl: AccessControl?

    fileprivate func columns(item: Bytes16, version: UInt64) -> ItemColumns {
        ItemColumns(
            item: item,
            identity: identity,
            version: version,
            protection: protection,
            synchronizable: synchronizable,
            tombstone: false,
            digests: digests
        )
    }
}

/// Adds items, as SecItemAdd does. Source: Apple's published Security sources.
extension ItemChange {
    func add(_ new: NewItem) throws(StatusError) -> Response {
        guard new.itemClass.isStored else { throw StatusError(.unimplemented) }
        let draft = try draft(new)
        let item = try session.change { () throws(StatusError) in try insert(draft) }
        guard !new.returning.isEmpty else { return .done }
        // Return the value that the caller supplied: decrypting it could require the user to authenticate.
        return try .items([search.found(item, returning: new.returning, value: .known(new.secret))])
    }

    func draft(_ new: NewItem) throws(StatusError) -> ItemDraft {
        let attributes = complete(new)
        let synchronizable = new.attributes[.synchronizable] == .number(1)
        let derived = derived(new.itemClass, attributes, synchronizable: synchronizable)
        return ItemDraft(
            identity: derived.identity,
            digests: derived.digests,
            protection: try ProtectionClass(
                of: new.attributes,
                new.accessControl,
                otherwise: defaultProtection(of: new)
            ),
            synchronizable: synchronizable,
            attributes: attributes,
            secret: new.secret,
            accessControl: new.accessControl
        )
    }

    /// Inserts an item; replaces a tombstone with the same group and primary key, keeping its persistent reference.
    ///
    /// - Throws: `duplicateItem` if an item with the same access group and primary key exists.
    func insert(_ draft: ItemDraft) throws(StatusError) -> OpenedItem {
        let keyWrapper = try keyWrapper(for: draft.accessControl)
        let columns = draft.columns(item: try session.rows.nextItem(), version: 1)
        let item = try seal(columns, draft.attributes, draft.secret, under: keyWrapper)
        do throws(StatusError) {
            try session.insert(item)
            return item
        } catch {
            guard error.status == .duplicateItem,
                let old = try session.rows.row(.identity(draft.identity), secrets: false),
                old.row.columns.tombstone
            else { throw error }
            try checkTombstone(old)
            let revived = draft.columns(item: old.row.columns.item, version: old.row.columns.version + 1)
            let item = try seal(revived, draft.attributes, draft.secret, under: keyWrapper)
            try session.replace(old, with: item)
            return item
        }
    }

    /// Returns the protection class of a new item whose attributes specify none.
    private func defaultProtection(of new: NewItem) -> ProtectionClass {
        let group = new.attributes[.accessGroup] ?? .string(authorized.defaultGroup)
        // Apple's push notification daemon, which has this group, reads its items before the first unlock.
        return group == .string("com.apple.apsd")
            ? .alwaysThisDeviceOnly : new.itemClass.defaultProtection
    }

    /// Returns the attributes to encrypt: the supplied ones, missing parts of the primary key, and dates.
    private func complete(_ new: NewItem) -> Attributes {
        let schema = ItemSchema.of(new.itemClass)
        var attributes = new.attributes.sealable(schema)
        for rule in schema.unique where !rule.traits.contains(.clear) && attributes[rule.attribute] == nil {
            attributes[rule.attribute] = rule.initial
        }
        if attributes[.accessGroup] == nil { attributes[.accessGroup] = .string(authorized.defaultGroup) }
        let now = AttributeValue.date(session.store.clock())
        if !new.keepsDates || attributes[.creationDate] == nil { attributes[.creationDate] = now }
        if !new.keepsDates || attributes[.modificationDate] == nil { attributes[.modificationDate] = now }
        return attributes
    }
}
