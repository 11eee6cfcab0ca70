// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// A private key and a certificate of its public key.
struct IdentityMatch {
    let key: Match
    let certificate: Match
    /// The digest of the public key, which the attributes of both items contain.
    let digest: AttributeValue
}

/// Searches identities: pairs of a private key and a certificate with the same public key digest.
///
/// Only the keys and certificates are stored. Source: Apple's published Security sources. *Differs*: a certificate and
/// its public key form no identity here; iOS finds them as an identity, but returns no `SecIdentity` for it.
extension ItemSearch {
    func copy(
        _ request: CopyIdentitiesRequest,
        _ authorized: AuthorizedRequest
    ) throws(StatusError) -> [FoundItem] {
        try session.checkFilesUnreplacedThrottled()
        let wanted = request.limit.count
        guard wanted > 0 else { throw StatusError(.itemNotFound) }
        let options = SearchOptions(
            secrets: request.returning.needValue(of: .identity),
            exhaustive: request.limit == .all,
            skipsConstrained: request.skipsConstrained
        )
        var (found, budget) = ([] as [FoundItem], ReplySize.Budget())
        try session.rows.read { () throws(StatusError) in
            try forEachIdentity(request.filter, authorized, options) { identity throws(StatusError) in
                if let item = try self.found(identity, returning: request.returning) {
                    try budget.count(item)
                    found.append(item)
                }
                return found.count < wanted
            }
        }
        guard !found.isEmpty else { throw StatusError(.itemNotFound) }
        return found
    }

    /// Returns the requested contents of an identity; `nil` if its key or certificate is undecryptable.
    ///
    /// If both have an attribute, the certificate's value is returned.
    private func found(
        _ identity: IdentityMatch,
        returning: ReturnKeys
    ) throws(StatusError) -> FoundItem? {
        guard let key = identity.key.item, let certificate = identity.certificate.item else { return nil }
        let columns = certificate.row.columns
        var attributes = Attributes()
        if returning.needsAttributes {
            attributes = Self.allAttributes(of: key)
            for entry in Self.allAttributes(of: certificate).entries {
                attributes[entry.attribute] = entry.value
            }
        }
        let needsValue = returning.needValue(of: .identity)
        return try FoundItem(
            reference: PersistentReference(itemClass: .identity, item: columns.item),
            attributes: attributes,
            accessControl: certificate.accessControl,
            secret: needsValue ? sealer.decryptedValue(of: key) : nil,
            certificate: needsValue ? sealer.decryptedValue(of: certificate) : nil,
            privateKey: PersistentReference(itemClass: .key, item: key.row.columns.item)
        )
    }

    /// Passes each matching identity to the closure until it returns false.
    ///
    /// Usually, this searches the keys first, and finds the certificate of each by the digest of the public key.
    /// If the certificate filter has a reference, or if only the certificate filter can use the attribute
    /// index, this searches the certificates first, and finds the key of each.
    func forEachIdentity(
        _ filter: IdentityFilter,
        _ authorized: AuthorizedRequest,
        _ options: SearchOptions,
        _ body: (IdentityMatch) throws(StatusError) -> Bool
    ) throws(StatusError) {
        var filter = filter
        // Rows have no digest of `isPrivate`. Testing it would exclude undecryptable rows, which a deletion must find.
        if !options.acceptsUnopened { filter.key.attributes[.isPrivate] = .number(1) }
        // The attribute `isPrivate` is 1 for public keys too, as on macOS, so select by the key class as well.
        if filter.key.attributes[.keyClass] == nil { filter.key.attributes[.keyClass] = .number(1) }
        let keysFirst =
            filter.certificate.reference == nil
            && (!ItemTest(filter.certificate, groups: nil).usesIndex
                || ItemTest(filter.key, groups: nil).usesIndex)
        let keys = IdentityHalf(filter: filter.key, scope: authorized.scope, attribute: .applicationLabel)
        let certificates = IdentityHalf(
            filter: filter.certificate,
            scope: authorized.certificateScope,
            attribute: .publicKeyHash
        )
        let (first, second) = keysFirst ? (keys, certificates) : (certificates, keys)
        try forEachPair(first, second, options) { one, other, digest throws(StatusError) in
            let (key, certificate) = keysFirst ? (one, other) : (other, one)
            return try body(IdentityMatch(key: key, certificate: certificate, digest: digest))
        }
    }

    /// Searches keys or certificates, and finds the counterpart of each match by the public key's digest.
    private func forEachPair(
        _ first: IdentityHalf,
        _ second: IdentityHalf,
        _ options: SearchOptions,
        _ body: (Match, Match, AttributeValue) throws(StatusError) -> Bool
    ) throws(StatusError) {
        var (outer, inner) = (options, options)
        // The public key digest of an undecryptable row is known only if the filter contains it.
        outer.acceptsUnopened = options.acceptsUnopened && first.digest != nil
        inner.exhaustive = false
        var continues = true
        try forEachMatch(first.filter, first.scope, outer) { found throws(StatusError) in
            guard let digest = found.item?.attributes[first.attribute] ?? first.digest,
                let others = second.filter.requiring(second.attribute, digest)
            else { return true }
            try forEachMatch(others, second.scope, inner) { other throws(StatusError) in
                continues = try body(found, other, digest)
                return continues
            }
            return continues
        }
    }
}

/// The search for the keys or for the certificates of identities.
private struct IdentityHalf {
    let filter: ItemFilter
    let scope: AccessScope
    /// The attribute that contains the digest of the public key.
    let attribute: Attribute

    /// The public key digest that the filter requires; `nil` if it requires none.
    var digest: AttributeValue? { filter.attributes[attribute] }
}

extension ItemFilter {
    /// Returns this filter, restricted to a public key digest; `nil` if nothing can match.
    fileprivate func requiring(_ attribute: Attribute, _ value: AttributeValue) -> Self? {
        guard value != .data([]),
            attributes[attribute] == nil || attributes[attribute] == value
        else { return nil }
        var filter = self
        filter.attributes[attribute] = value
        return filter
    }
}
