// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainModel

/// Identities: every private key together with every certificate of its public key, found by their digests.
///
/// No identity is stored. Source: Apple's published Security sources. *Differs*: both halves change, or none does.
/// *Differs*: a public key makes no identity, where iOS finds one that has no object.
extension OpenStore {
    /// A private key and a certificate of it.
    private struct Pair {
        let key: Match
        let certificate: Match
        /// The digest of the public key, which both carry.
        let digest: AttributeValue
    }

    mutating func copy(
        _ request: CopyIdentitiesRequest,
        _ authorized: AuthorizedRequest
    ) throws(StatusError) -> Response {
        try ensureInPlaceNowAndThen()
        let wanted = request.limit.count
        guard wanted > 0 else { throw StatusError(.itemNotFound) }
        let options = SearchOptions(
            secrets: request.returning.needValue(of: .identity),
            exhaustive: request.limit == .all,
            skipsConstrained: request.skipsConstrained
        )
        var found: [FoundItem] = []
        try items.read { () throws(StatusError) in
            try forEachIdentity(request.filter, authorized, options) { store, pair throws(StatusError) in
                guard let identity = try store.found(pair, returning: request.returning) else { return true }
                found.append(identity)
                return found.count < wanted
            }
        }
        guard !found.isEmpty else { throw StatusError(.itemNotFound) }
        return .items(found)
    }

    /// Adds both halves; one of them may be there already.
    mutating func add(
        _ new: NewIdentity,
        _ authorized: AuthorizedRequest
    ) throws(StatusError) -> Response {
        let drafts = (
            certificate: try draft(new.certificate, defaultGroup: authorized.defaultGroup),
            key: try draft(new.key, defaultGroup: authorized.defaultGroup)
        )
        let columns = try change { store throws(StatusError) in
            let certificate = try store.insertUnlessPresent(drafts.certificate)
            let key = try store.insertUnlessPresent(drafts.key)
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

    /// Inserts a half; what is there already is not opened, which could demand the user.
    private mutating func insertUnlessPresent(
        _ draft: Draft
    ) throws(StatusError) -> (columns: ItemColumns, isNew: Bool) {
        do throws(StatusError) {
            return (try insert(draft).row.columns, true)
        } catch {
            guard error.status == .duplicateItem,
                let old = try items.row(.identity(draft.columns.identity), secrets: false)
            else { throw error }
            return (old.row.columns, false)
        }
    }

    /// Deletes certificates of identities, and their keys where no other certificate needs them.
    mutating func deleteIdentities(
        _ request: DeleteIdentitiesRequest,
        _ authorized: AuthorizedRequest
    ) throws(StatusError) -> Response {
        try change(deleting: true) { store throws(StatusError) in
            var pairs: [Pair] = []
            let options = SearchOptions(acceptsUnopened: true)
            try store.forEachIdentity(request.filter, authorized, options) { _, pair throws(StatusError) in
                pairs.append(pair)
                return true
            }
            guard !pairs.isEmpty else { throw StatusError(.itemNotFound) }
            for match in Self.distinct(pairs.map(\.certificate)) {
                try store.delete(match, leavesTombstones: request.leavesTombstones)
            }
            var keys: Set<Int64> = []
            for pair in pairs where keys.insert(pair.key.stored.number).inserted {
                var others = ItemFilter(itemClass: .certificate)
                others.attributes[.publicKeyHash] = pair.digest
                guard try !store.hasMatch(others, authorized.certificateScope) else { continue }
                try store.delete(pair.key, leavesTombstones: request.leavesTombstones)
            }
        }
        return .done
    }

    private static func distinct(_ matches: [Match]) -> [Match] {
        var seen: Set<Int64> = []
        return matches.filter { seen.insert($0.stored.number).inserted }
    }

    private mutating func hasMatch(_ filter: ItemFilter, _ scope: AccessScope) throws(StatusError) -> Bool {
        var found = false
        try forEachMatch(filter, scope, SearchOptions(acceptsUnopened: true)) { _, _ throws(StatusError) in
            found = true
            return false
        }
        return found
    }

    /// As much of an identity as was asked for: the key's attributes under those of the certificate.
    private mutating func found(_ pair: Pair, returning: ReturnKeys) throws(StatusError) -> FoundItem? {
        guard let key = pair.key.item, let certificate = pair.certificate.item else { return nil }
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
            secret: needsValue ? sealer.exposedSecret(of: key) : nil,
            certificate: needsValue ? sealer.exposedSecret(of: certificate) : nil
        )
    }

    /// Hands each identity that a filter means to the closure until it answers false.
    ///
    /// The half that the filter says more about is searched first, the other is looked up by the digest of the
    /// public key that both carry. The caller has a transaction open.
    private mutating func forEachIdentity(
        _ filter: IdentityFilter,
        _ authorized: AuthorizedRequest,
        _ options: SearchOptions,
        _ body: (inout OpenStore, Pair) throws(StatusError) -> Bool
    ) throws(StatusError) {
        var filter = filter
        // It has no digest, and a deletion does without it.
        if !options.acceptsUnopened { filter.key.attributes[.isPrivate] = .number(1) }
        // Public keys are marked as private too, and no identity comes of them.
        if filter.key.attributes[.keyClass] == nil { filter.key.attributes[.keyClass] = .number(1) }
        let keysFirst =
            filter.certificate.reference == nil
            && (ItemTest(filter.certificate, groups: nil).searchable.isEmpty
                || !ItemTest(filter.key, groups: nil).searchable.isEmpty)
        let keys = Half(filter: filter.key, scope: authorized.scope, attribute: .applicationLabel)
        let certificates = Half(
            filter: filter.certificate,
            scope: authorized.certificateScope,
            attribute: .publicKeyHash
        )
        if keysFirst {
            try forEachPair(keys, certificates, options) {
                store,
                key,
                certificate,
                digest throws(StatusError) in
                try body(&store, Pair(key: key, certificate: certificate, digest: digest))
            }
        } else {
            try forEachPair(certificates, keys, options) {
                store,
                certificate,
                key,
                digest throws(StatusError) in
                try body(&store, Pair(key: key, certificate: certificate, digest: digest))
            }
        }
    }

    /// Searches for one half, and for each that it finds looks up the other by the digest that both carry.
    private mutating func forEachPair(
        _ first: Half,
        _ second: Half,
        _ options: SearchOptions,
        _ body: (inout OpenStore, Match, Match, AttributeValue) throws(StatusError) -> Bool
    ) throws(StatusError) {
        var (outer, inner) = (options, options)
        // What is searched for first must say which halves it goes with.
        outer.acceptsUnopened = options.acceptsUnopened && first.digest != nil
        inner.exhaustive = false
        var goesOn = true
        try forEachMatch(first.filter, first.scope, outer) { store, found throws(StatusError) in
            guard let digest = found.item?.attributes[first.attribute] ?? first.digest,
                let others = second.filter.requiring(second.attribute, digest)
            else { return true }
            try store.forEachMatch(others, second.scope, inner) { store, other throws(StatusError) in
                goesOn = try body(&store, found, other, digest)
                return goesOn
            }
            return goesOn
        }
    }
}

/// The keys or the certificates of which those with the same digest of a public key are identities.
private struct Half {
    let filter: ItemFilter
    let scope: AccessScope
    /// The attribute that has the digest.
    let attribute: Attribute

    /// The digest that is asked for.
    var digest: AttributeValue? { filter.attributes[attribute] }
}

extension ItemFilter {
    /// The half that goes with another half of a digest; `nil` for an empty one, which goes with none.
    fileprivate func requiring(_ attribute: Attribute, _ value: AttributeValue) -> Self? {
        guard value != .data(Data()),
            attributes[attribute] == nil || attributes[attribute] == value
        else { return nil }
        var filter = self
        filter.attributes[attribute] = value
        return filter
    }
}
