// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Adds, updates and deletes items for one call.
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
        case .makeTokenKey: throw StatusError(.unimplemented, .notAllowedHere)
        case .copy, .copyIdentities, .useTokenKey, .status:
            throw StatusError(.invalidParameter, .notAllowedHere)
        }
        return .done
    }

    func seal(
        _ columns: ItemColumns,
        _ attributes: Attributes,
        _ secret: SecretBuffer?,
        under keyWrapper: ItemKeyWrapper?
    ) throws(StatusError) -> OpenedItem {
        try search.sealer.seal(
            attributes,
            secret: secret,
            columns: columns,
            under: keyWrapper,
            with: session.state.keys
        )
    }

    /// Creates the key wrapper for an access control; `nil` if the access control has no constraints.
    ///
    /// - Throws: `authenticationFailed` with `passcodeNotSet` if the access control requires the user but no passcode
    ///   is set; otherwise errors of ``ItemKeyWrapper/init(new:for:_:with:)``.
    func keyWrapper(for control: AccessControl?) throws(StatusError) -> ItemKeyWrapper? {
        guard let control, control.isConstrained else { return nil }
        var recipient: RecipientPublicKey?
        if control.needsUserAuthentication {
            guard let lock = session.state.lock else {
                throw StatusError(.authenticationFailed, .passcodeNotSet, attribute: .accessControl)
            }
            if let page = try session.rows.page(PageNumber.recipient) {
                recipient = RecipientPublicKey(opening: page, beside: lock, with: session.store.keys)
            }
        }
        return try search.sealer.keyWrapper(for: control, recipient: recipient)
    }

    /// Checks that a row whose tombstone flag is set really is a tombstone.
    ///
    /// Without this check, another program could make the store delete an item by setting the flag in its row.
    func checkTombstone(_ stored: StoredRow) throws(StatusError) {
        _ = try search.sealer.open(stored.row, with: session.state.keys)
        try session.reader.verifyBucket(of: stored.row.columns.identity)
    }

    func derived(
        _ itemClass: ItemClass,
        _ attributes: Attributes,
        synchronizable: Bool
    ) -> (identity: ItemIdentity, digests: [UInt8]) {
        let index = session.store.keys.index
        var group = Bytes8.zero
        if case .string(let name)? = attributes[.accessGroup] { group = session.reader.digest(ofGroup: name) }
        let identity = index.identity(of: itemClass, attributes, in: group, synchronizable: synchronizable)
        return (identity, IndexEntries(of: itemClass, attributes, in: group, by: index).column)
    }
}

extension Attributes {
    /// Returns the attributes to encrypt.
    ///
    /// Computed attributes, and attributes that the row contains unencrypted, are left out.
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
    /// Uses the protection class of the access control if there is one, else of the attributes, else `standard`.
    ///
    /// - Throws: `invalidParameter` if the attributes have an unknown protection class.
    init(
        of attributes: Attributes,
        _ accessControl: AccessControl?,
        otherwise standard: ProtectionClass
    ) throws(StatusError) {
        if let accessControl {
            self = accessControl.protection
        } else if let value = attributes[.accessible] {
            guard case .string(let name) = value, let protection = Self(name: name) else {
                throw StatusError(.invalidParameter, .wrongValueType, attribute: .accessible)
            }
            self = protection
        } else {
            self = standard
        }
    }
}
