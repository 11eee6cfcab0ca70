// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainModel

/// SecItemAdd. Source: Apple's published Security sources.
extension OpenStore {
    mutating func add(
        _ new: NewItem,
        _ authorized: AuthorizedRequest
    ) throws(StatusError) -> Response {
        guard new.itemClass.isStored else { throw StatusError(.unimplemented) }
        let draft = try draft(new, defaultGroup: authorized.defaultGroup)
        let item = try change { store throws(StatusError) in try store.insert(draft) }
        guard !new.returning.isEmpty else { return .done }
        // The item's constraints are for those who come later: here the value is at hand.
        return try .items([found(item, returning: new.returning, value: .known(new.secret))])
    }

    /// What a new item will be, before it is sealed.
    struct Draft {
        var columns: ItemColumns
        let attributes: Attributes
        let secret: Data?
        let accessControl: AccessControl?
    }

    mutating func draft(_ new: NewItem, defaultGroup: String) throws(StatusError) -> Draft {
        let protection = try Self.protection(
            of: new.attributes,
            new.accessControl,
            otherwise: Self.defaultProtection(of: new, defaultGroup: defaultGroup)
        )
        let attributes = complete(new, defaultGroup: defaultGroup)
        let columns = self.columns(
            item: .random(),
            new.itemClass,
            version: 1,
            attributes,
            protection: protection,
            synchronizable: new.attributes[.synchronizable] == .number(1)
        )
        return Draft(
            columns: columns,
            attributes: attributes,
            secret: new.secret,
            accessControl: new.accessControl
        )
    }

    /// Inserts, or revives the tombstone of the same identity under its old reference.
    ///
    /// - Throws: `duplicateItem` where the identity is taken by an item.
    mutating func insert(_ draft: Draft) throws(StatusError) -> OpenedItem {
        let opener = try opener(for: draft.accessControl)
        let item = try sealed(draft.columns, draft.attributes, draft.secret, under: opener)
        do throws(StatusError) {
            try insert(item.row)
            return item
        } catch {
            guard error.status == .duplicateItem,
                let old = try items.row(.identity(draft.columns.identity), secrets: false),
                old.row.columns.tombstone
            else { throw error }
            try ensureTombstone(old)
            var revived = draft.columns
            revived.item = old.row.columns.item
            revived.version = old.row.columns.version + 1
            let item = try sealed(revived, draft.attributes, draft.secret, under: opener)
            try replace(old, with: item.row)
            return item
        }
    }

    /// What seals an item under the constraints that a dictionary asks for; `nil` for none.
    ///
    /// - Throws: `authenticationFailed` with `passcodeNotSet`, where the user would be needed and nothing can tell who it
    ///   is; `authenticationNeeded` where an application password is missing.
    mutating func opener(for control: AccessControl?) throws(StatusError) -> AccessOpener? {
        guard let control, control.isConstrained else { return nil }
        var recipient: AccessRecipient?
        if control.needsPerson {
            guard let lock = vouched.lock else {
                throw StatusError(.authenticationFailed, .passcodeNotSet, attribute: .accessControl)
            }
            if let page = try items.page(PageNumber.recipient) {
                recipient = AccessRecipient(opening: page, beside: lock, with: keys)
            }
        }
        return try sealer.opener(for: control, recipient: recipient)
    }

    /// The protection class of an item that asks for none.
    private static func defaultProtection(of new: NewItem, defaultGroup: String) -> ProtectionClass {
        // Apple's daemon of push notifications reads its items before anybody has unlocked the device.
        let group = new.attributes[.accessGroup] ?? .text(defaultGroup)
        return group == .text("com.apple.apsd")
            ? .alwaysThisDeviceOnly : new.itemClass.defaultProtection
    }

    /// The protection class that a dictionary asks for.
    static func protection(
        of attributes: Attributes,
        _ accessControl: AccessControl?,
        otherwise standard: ProtectionClass
    ) throws(StatusError) -> ProtectionClass {
        if let accessControl { return accessControl.protection }
        guard let value = attributes[.accessible] else { return standard }
        guard case .text(let name) = value, let protection = ProtectionClass(name: name) else {
            throw StatusError(.invalidParameter, .wrongValueType, attribute: .accessible)
        }
        return protection
    }

    /// The attributes that are sealed: those supplied, the defaults, the dates.
    private func complete(_ new: NewItem, defaultGroup: String) -> Attributes {
        let schema = ItemSchema.of(new.itemClass)
        var attributes = Self.sealable(new.attributes, schema)
        for rule in schema.unique where !rule.traits.contains(.clear) && attributes[rule.attribute] == nil {
            attributes[rule.attribute] = rule.initial
        }
        if attributes[.accessGroup] == nil { attributes[.accessGroup] = .text(defaultGroup) }
        let now = AttributeValue.date(clock())
        attributes[.creationDate] = now
        attributes[.modificationDate] = now
        return attributes
    }

    /// The attributes without those that have columns of their own or are computed.
    static func sealable(_ attributes: Attributes, _ schema: ItemSchema) -> Attributes {
        var kept = Attributes(reservingCapacity: attributes.entries.count + 8)
        for entry in attributes.entries
        where schema[entry.attribute]?.traits.isDisjoint(with: [.clear, .computed]) == true {
            kept[entry.attribute] = entry.value
        }
        return kept
    }

    /// The columns that follow from an item's attributes.
    mutating func columns(
        item: Bytes16,
        _ itemClass: ItemClass,
        version: UInt64,
        _ attributes: Attributes,
        protection: ProtectionClass,
        synchronizable: Bool,
        tombstone: Bool = false
    ) -> ItemColumns {
        var group = Bytes16.zero
        if case .text(let name)? = attributes[.accessGroup] { group = digest(ofGroup: name) }
        let entries = IndexEntries(of: itemClass, attributes, in: group, by: keys.index)
        return ItemColumns(
            item: item,
            itemClass: itemClass,
            version: version,
            accessGroup: group,
            protection: protection,
            synchronizable: synchronizable,
            tombstone: tombstone,
            identity: keys.index.identity(
                of: itemClass,
                attributes,
                in: group,
                synchronizable: synchronizable
            ),
            digests: tombstone ? [] : entries.column
        )
    }
}
