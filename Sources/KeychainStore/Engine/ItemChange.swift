// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainModel

/// The changes of one call: adding, updating and deleting items.
struct ItemChange {
    let session: WriteSession
    let search: ItemSearch
    let authorized: AuthorizedRequest

    init(_ session: WriteSession, _ authorized: AuthorizedRequest, with credential: Credential) {
        self.session = session
        self.authorized = authorized
        search = ItemSearch(session.reader, with: credential)
    }

    func perform() throws(StatusError) -> Response {
        switch authorized.request {
        case .add(let item): return try add(item)
        case .addIdentity(let identity): return try add(identity)
        case .update(let update): try self.update([update])
        case .updateEach(let updates): try update(updates)
        case .delete(let delete): try self.delete([delete])
        case .set(let set): try self.set(set)
        case .deleteEach(let deletes): try delete(deletes)
        case .deleteIdentities(let delete): try deleteIdentities(delete)
        case .copy, .copyIdentities, .status: throw StatusError(.invalidParameter, .notAllowedHere)
        }
        return .done
    }

    /// Seals an item whose columns are final.
    func seal(
        _ columns: ItemColumns,
        _ attributes: Attributes,
        _ secret: Data?,
        under opener: AccessOpener?
    ) throws(StatusError) -> OpenedItem {
        try search.sealer.seal(
            attributes,
            secret: secret,
            columns: columns,
            under: opener,
            with: session.state.keys
        )
    }

    /// What seals an item under an access control; `nil` for none.
    ///
    /// - Throws: `authenticationFailed` with `passcodeNotSet` if the user would be needed and no passcode tells who that
    ///   is; `authenticationNeeded` if an application password is missing.
    func opener(for control: AccessControl?) throws(StatusError) -> AccessOpener? {
        guard let control, control.isConstrained else { return nil }
        var recipient: AccessRecipient?
        if control.needsUserAuthentication {
            guard let lock = session.state.lock else {
                throw StatusError(.authenticationFailed, .passcodeNotSet, attribute: .accessControl)
            }
            if let page = try session.rows.page(PageNumber.recipient) {
                recipient = AccessRecipient(opening: page, beside: lock, with: session.store.keys)
            }
        }
        return try search.sealer.opener(for: control, recipient: recipient)
    }

    /// Makes sure that a row is the tombstone that its flags say: a forged flag must not give an item away.
    func checkTombstone(_ stored: StoredRow) throws(StatusError) {
        _ = try search.sealer.open(stored.row, with: session.state.keys)
        try session.reader.verifyBucket(of: stored.row.columns.identity)
    }

    /// The identity and the digests that follow from an item's attributes.
    func derived(
        _ itemClass: ItemClass,
        _ attributes: Attributes,
        synchronizable: Bool
    ) -> (identity: ItemIdentity, digests: [UInt8]) {
        let index = session.store.keys.index
        var group = Bytes8.zero
        if case .text(let name)? = attributes[.accessGroup] { group = session.store.digest(ofGroup: name) }
        let identity = index.identity(of: itemClass, attributes, in: group, synchronizable: synchronizable)
        return (identity, IndexEntries(of: itemClass, attributes, in: group, by: index).column)
    }
}

extension Attributes {
    /// The attributes that are sealed: without those that have columns of their own or are computed.
    func sealable(_ schema: ItemSchema) -> Self {
        var kept = Self(reservingCapacity: entries.count + 8)
        for entry in entries
        where schema[entry.attribute]?.traits.isDisjoint(with: [.clear, .computed]) == true {
            kept[entry.attribute] = entry.value
        }
        return kept
    }
}

extension ProtectionClass {
    /// The class that a dictionary asks for.
    init(
        of attributes: Attributes,
        _ accessControl: AccessControl?,
        otherwise standard: ProtectionClass
    ) throws(StatusError) {
        if let accessControl {
            self = accessControl.protection
        } else if let value = attributes[.accessible] {
            guard case .text(let name) = value, let protection = Self(name: name) else {
                throw StatusError(.invalidParameter, .wrongValueType, attribute: .accessible)
            }
            self = protection
        } else {
            self = standard
        }
    }
}
