// SPDX-License-Identifier: Apache-2.0

import KeychainModel

struct Match {
    let stored: StoredRow
    /// The decrypted item; `nil` if the row is undecryptable but matches by its digests.
    let item: OpenedItem?
}

struct SearchOptions {
    /// Whether to read the encrypted values of the rows too.
    var secrets = false
    /// Whether the caller needs all matches, so that missing rows must be detected.
    var exhaustive = false
    /// Whether an undecryptable item may match by its digests alone.
    var acceptsUnopened = false
    /// Whether to skip items with an access control that is not satisfied.
    var skipsConstrained = false
}

/// Searches items for one call.
///
/// Rows are found by persistent reference, primary key (``ItemIdentity``), attribute index or access group, whichever
/// reads the fewest rows.
struct ItemSearch {
    let session: ReadSession
    private let credential: Credential

    init(_ session: ReadSession, with credential: Credential) {
        self.session = session
        self.credential = credential
    }

    /// Decrypts and encrypts rows with the credential of the call.
    var sealer: ItemSealer { ItemSealer(keys: session.store.keys, credential: credential) }

    private var rows: ItemStore { session.rows }

    /// Calls the closure with each match until it returns false.
    func forEachMatch(
        _ filter: ItemFilter,
        _ scope: AccessScope,
        _ options: SearchOptions,
        _ body: (Match) throws(StatusError) -> Bool
    ) throws(StatusError) {
        let groups = digests(of: scope)
        let test = ItemTest(filter, groups: groups)
        if let reference = filter.reference {
            guard let stored = try rows.row(.item(reference.item), secrets: options.secrets) else { return }
            let columns = stored.row.columns
            let required = entries(of: test.searchable, columns.itemClass, in: columns.accessGroup)
            guard let match = try match(stored, test, required, options) else { return }
            _ = try body(match)
            return
        }
        let searched = if let groups { groups } else { try rows.accessGroups() }
        guard test.namesIdentity else { return try search(test, searched, options, except: [], body) }
        var found: [Int64] = []
        let continues = try probe(test, searched, options) { match throws(StatusError) in
            found.append(match.stored.number)
            return try body(match)
        }
        // The primary keys looked up above have an optional part, such as a view hint or a token ID, only if the filter
        // contains it. Search for items with other optional parts too, if there may be any.
        guard continues, session.state.header.hasOptionalKeys else { return }
        try search(test, searched, options, except: found, body)
    }

    /// Returns all matches, so that the caller can change them after the search has ended.
    ///
    /// - Throws: `itemNotFound` if no item matches.
    func allMatches(
        _ filter: ItemFilter,
        _ scope: AccessScope,
        _ options: SearchOptions
    ) throws(StatusError) -> [Match] {
        var matches: [Match] = []
        try forEachMatch(filter, scope, options) { match throws(StatusError) in
            matches.append(match)
            return true
        }
        guard !matches.isEmpty else { throw StatusError(.itemNotFound) }
        return matches
    }

    /// Looks up rows by the digest of the primary key, for a filter that contains the whole primary key.
    ///
    /// Decryption authenticates a row that was found. If no row was found, the multiset hash of the bucket, the part
    /// of the rows to which it would belong, is verified to detect a removed row.
    ///
    /// - Returns: Whether to continue searching: `false` once `body` has returned `false`.
    private func probe(
        _ test: ItemTest,
        _ groups: [Bytes8],
        _ options: SearchOptions,
        _ body: (Match) throws(StatusError) -> Bool
    ) throws(StatusError) -> Bool {
        var missing: [ItemIdentity] = []
        // The buckets of undecryptable matches are not verified, because a damaged row never matches the
        // multiset hash. If such a row is deleted, the deletion checks the number of rows instead.
        var unopened: [Bucket] = []
        let besideIdentity = test.searchableBesideIdentity
        for identity in identities(of: test, in: groups) {
            guard let stored = try rows.row(.identity(identity), secrets: options.secrets) else {
                missing.append(identity)
                continue
            }
            let columns = stored.row.columns
            // The primary key matches already; do not compare the digests of its attributes, which may be damaged.
            let required = entries(of: besideIdentity, columns.itemClass, in: columns.accessGroup)
            guard test.mayMatch(columns), test.mayMatch(columns, requiring: required, byIdentity: true) else {
                // The row's columns exclude a match. Instead of decrypting the row, verify its bucket below, which
                // authenticates the columns.
                missing.append(identity)
                continue
            }
            guard let match = try match(stored, test, required, options, byIdentity: true) else { continue }
            if match.item == nil { unopened.append(identity.bucket) }
            guard try body(match) else { return false }
        }
        if !missing.isEmpty { try session.refresh() }
        for identity in missing where !unopened.contains(identity.bucket) {
            try session.verifyBucket(of: identity)
        }
        return true
    }

    /// Returns the identities that a matching item can have: one for each access group and synchronizable flag.
    ///
    /// The filter contains the rest of the primary key.
    private func identities(of test: ItemTest, in groups: [Bytes8]) -> [ItemIdentity] {
        [false, true].filter(test.mayMatch(synchronizable:)).flatMap { synchronizable in
            groups.map { group in
                session.store.keys.index.identity(
                    of: test.filter.itemClass,
                    test.filter.attributes,
                    in: group,
                    synchronizable: synchronizable
                )
            }
        }
    }

    /// Searches the rows that the attribute index finds or, without an indexed attribute, all rows of each
    /// group.
    private func search(
        _ test: ItemTest,
        _ groups: [Bytes8],
        _ options: SearchOptions,
        except found: [Int64],
        _ body: (Match) throws(StatusError) -> Bool
    ) throws(StatusError) {
        let itemClass = test.filter.itemClass
        let searchable = test.searchable
        let isListing = options.exhaustive && !test.usesIndex
        if isListing { try verifyBeforeListing() }
        // Values may be large. If rows were found already, read rows without values first, and then only the
        // values of the other rows.
        let readsLater = options.secrets && !found.isEmpty
        var continues = true
        for group in groups {
            if try indexFindsOnly(found, with: test, in: group) { continue }
            let required = entries(of: searchable, itemClass, in: group)
            let indexed = required.first(where: \.isIndexed)
            var seen: [Int64] = []
            let selection: RowSelection = indexed.map(RowSelection.digest) ?? .group(group, itemClass)
            try rows.forEachRow(selection, secrets: options.secrets && !readsLater) {
                row throws(StatusError) in
                if isListing { seen.append(row.number) }
                guard !found.contains(row.number) else { return true }
                let reread = readsLater ? try rows.row(.item(row.row.columns.item), secrets: true) : nil
                guard let match = try match(reread ?? row, test, required, options) else { return true }
                continues = try body(match)
                return continues
            }
            guard continues else { return }
            // The multiset hashes have authenticated the rows, but a damaged index may not find all of them.
            // Compare the rows that it has found with a scan of the table.
            if isListing, try rows.memberNumbers(of: itemClass, in: group) != seen {
                throw StatusError(.undecodable, .indexDamaged)
            }
        }
    }

    /// Returns whether the attribute index finds no rows except those in `found`.
    ///
    /// This is the usual case if `found` is not empty. Only the digest of the first indexed attribute is computed;
    /// the result is false without one, or if `found` is empty.
    private func indexFindsOnly(
        _ found: [Int64],
        with test: ItemTest,
        in group: Bytes8
    ) throws(StatusError) -> Bool {
        guard !found.isEmpty, let first = test.searchable.first(where: { $0.rule.attribute.hasManyValues }),
            let entry = entries(of: [first], test.filter.itemClass, in: group).first
        else { return false }
        return try rows.rows(with: entry, areAmong: found)
    }

    private func verifyBeforeListing() throws(StatusError) {
        // Read a page first, because SQLite updates its data version only on a read.
        _ = try rows.page(PageNumber.header)
        try session.refresh()
        try session.verifyAllBuckets()
    }

    /// Returns the digests of the access groups in scope; `nil` stands for every group.
    private func digests(of scope: AccessScope) -> [Bytes8]? {
        guard case .groups(let names) = scope else { return nil }
        return names.map(session.digest(ofGroup:))
    }
}
