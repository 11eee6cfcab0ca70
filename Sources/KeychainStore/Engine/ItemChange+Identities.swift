// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Adds and deletes identities. *Differs* from Apple: certificate and key change in one transaction.
extension ItemChange {
    /// Adds the certificate and the private key of an identity; one of them may exist already.
    func add(_ new: NewIdentity) throws(StatusError) -> Response {
        let drafts = (certificate: try draft(new.certificate), key: try draft(new.key))
        let columns = try session.change { () throws(StatusError) in
            let certificate = try insertUnlessPresent(drafts.certificate)
            let key = try insertUnlessPresent(drafts.key)
            guard certificate.isNew || key.isNew else { throw StatusError(.duplicateItem) }
            return certificate.columns
        }
        guard new.returning.contains(.persistentReference) else { return .done }
        return .items([
            FoundItem(
                reference: PersistentReference(itemClass: .identity, item: columns.item),
                attributes: Attributes(),
                accessControl: AccessControl(protection: columns.protection),
                secret: nil
            )
        ])
    }

    /// Inserts a certificate or key unless it exists.
    ///
    /// An existing item is not decrypted, because that could require user authentication.
    private func insertUnlessPresent(
        _ draft: ItemDraft
    ) throws(StatusError) -> (columns: ItemColumns, isNew: Bool) {
        do throws(StatusError) {
            return (try insert(draft).row.columns, true)
        } catch {
            guard error.status == .duplicateItem,
                let old = try session.rows.row(.identity(draft.identity), secrets: false)
            else { throw error }
            return (old.row.columns, false)
        }
    }

    /// Deletes the certificates of matching identities, and their private keys.
    ///
    /// A private key stays if a remaining certificate with the same public key is in a group of the caller.
    func deleteIdentities(_ request: DeleteIdentitiesRequest) throws(StatusError) {
        try session.change(deleting: true) { () throws(StatusError) in
            var identities: [IdentityMatch] = []
            let options = SearchOptions(acceptsUnopened: true)
            try search.forEachIdentity(request.filter, authorized, options) { identity throws(StatusError) in
                identities.append(identity)
                return true
            }
            guard !identities.isEmpty else { throw StatusError(.itemNotFound) }
            var deleted: Set<Int64> = []
            for identity in identities where deleted.insert(identity.certificate.stored.number).inserted {
                try delete(identity.certificate, leavesTombstones: request.leavesTombstones)
            }
            for identity in identities where deleted.insert(identity.key.stored.number).inserted {
                var others = ItemFilter(itemClass: .certificate, synchronizable: .any)
                others.attributes[.publicKeyHash] = identity.digest
                guard try !hasMatch(others) else { continue }
                try delete(identity.key, leavesTombstones: request.leavesTombstones)
            }
        }
    }

    private func hasMatch(_ filter: ItemFilter) throws(StatusError) -> Bool {
        var found = false
        let options = SearchOptions(acceptsUnopened: true)
        try search.forEachMatch(filter, authorized.certificateScope, options) { _ throws(StatusError) in
            found = true
            return false
        }
        return found
    }
}
