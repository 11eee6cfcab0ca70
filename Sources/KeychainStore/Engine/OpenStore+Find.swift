// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainModel

/// One row that a filter means.
///
/// What cannot be opened is a match only for a deletion that its digests decide.
struct Match {
    let stored: StoredRow
    let item: OpenedItem?
}

/// What a search wants beside the filter.
struct SearchOptions {
    /// Whether the sealed values are read too.
    var secrets = false
    /// Whether everything that matches is wanted, so that nothing may be missing.
    var exhaustive = false
    /// Whether a row that cannot be opened is a match where its digests decide.
    var acceptsUnopened = false
    /// Whether rows are left out whose constraints are not satisfied.
    var skipsConstrained = false
}

/// Finding: by reference, by identity, by the index, by the access group, whichever reads least.
extension OpenStore {
    /// Hands each item that a filter means to the closure until it answers false.
    ///
    /// The caller has a transaction open.
    mutating func forEachMatch(
        _ filter: ItemFilter,
        _ scope: AccessScope,
        _ options: SearchOptions,
        _ body: (inout OpenStore, Match) throws(StatusError) -> Bool
    ) throws(StatusError) {
        let groups = try digests(of: scope)
        let test = ItemTest(filter, groups: groups)
        if let reference = filter.reference {
            guard let stored = try items.row(.item(reference.item), secrets: options.secrets) else { return }
            let columns = stored.row.columns
            let required = entries(of: test.searchable, columns.itemClass, in: columns.accessGroup)
            guard let match = try match(stored, test, required, options) else { return }
            _ = try body(&self, match)
            return
        }
        let searched: [Bytes16]
        if let groups { searched = groups } else { searched = try items.accessGroups() }
        guard test.namesIdentity else { return try search(test, searched, options, except: [], body) }
        var found: [Int64] = []
        let goesOn = try probe(test, searched, options) { store, match throws(StatusError) in
            found.append(match.stored.number)
            return try body(&store, match)
        }
        guard goesOn else { return }
        // Items with a view hint or a token have other identities.
        try search(test, searched, options, except: found, body)
    }

    /// Looks up the identities that a filter which names all unique attributes can mean.
    ///
    /// - Returns: Whether more is wanted. What was missing then is vouched for: a hit vouches for itself, a miss must
    ///   be shown to be no removal.
    private mutating func probe(
        _ test: ItemTest,
        _ groups: [Bytes16],
        _ options: SearchOptions,
        _ body: (inout OpenStore, Match) throws(StatusError) -> Bool
    ) throws(StatusError) -> Bool {
        var missing: [Bytes32] = []
        // A damaged row spoils the sum of its bucket. Where it is to be deleted, the deletion makes sure of the rest.
        var unopened: [UInt8] = []
        let besideIdentity = test.searchableBesideIdentity
        for (group, identity) in identities(of: test, in: groups) {
            guard let stored = try items.row(.identity(identity), secrets: options.secrets) else {
                missing.append(identity)
                continue
            }
            let columns = stored.row.columns
            // Does not compare unique attributes again, because their digests may be damaged.
            let required = entries(of: besideIdentity, columns.itemClass, in: group)
            guard test.admits(columns), test.admits(columns, requiring: required, byIdentity: true) else {
                // Does not open the row: its bucket authenticates its columns.
                missing.append(identity)
                continue
            }
            guard let match = try match(stored, test, required, options, byIdentity: true) else { continue }
            if match.item == nil { unopened.append(identity.leadingByte) }
            guard try body(&self, match) else { return false }
        }
        if !missing.isEmpty { try refresh() }
        for identity in missing where !unopened.contains(identity.leadingByte) {
            try verifyBucket(of: identity)
        }
        return true
    }

    /// The identities that a filter matches which names all unique attributes, each with its access group.
    private func identities(
        of test: ItemTest,
        in groups: [Bytes16]
    ) -> [(group: Bytes16, identity: Bytes32)] {
        [false, true].filter(test.admits(synchronizable:)).flatMap { synchronizable in
            groups.map { group in
                let identity = keys.index.identity(
                    of: test.filter.itemClass,
                    test.filter.attributes,
                    in: group,
                    synchronizable: synchronizable
                )
                return (group, identity)
            }
        }
    }

    private mutating func search(
        _ test: ItemTest,
        _ groups: [Bytes16],
        _ options: SearchOptions,
        except found: [Int64],
        _ body: (inout OpenStore, Match) throws(StatusError) -> Bool
    ) throws(StatusError) {
        let searchable = test.searchable
        let isListing = searchable.isEmpty && options.exhaustive
        if isListing { try verifyBeforeListing() }
        var goesOn = true
        var seen: [Int64] = []
        for group in groups {
            let required = entries(of: searchable, test.filter.itemClass, in: group)
            let selection: RowSelection =
                required.first.map { .index($0.attribute, $0.digest) } ?? .group(group, test.filter.itemClass)
            // The value of an item that was found already may be long, so it is not read again.
            let readsLater = options.secrets && !found.isEmpty
            try items.forEachRow(selection, secrets: options.secrets && !readsLater) {
                stored throws(StatusError) in
                if required.isEmpty {
                    // SQLite takes these columns from the index, where they may be damaged and the row is not.
                    guard stored.row.columns.accessGroup == group else {
                        throw StatusError(.undecodable, .indexDamaged)
                    }
                    seen.append(stored.number)
                }
                guard !found.contains(stored.number) else { return true }
                var stored = stored
                if readsLater, let row = try items.row(.item(stored.row.columns.item), secrets: true) {
                    stored = row
                }
                guard let match = try match(stored, test, required, options) else { return true }
                goesOn = try body(&self, match)
                return goesOn
            }
            guard goesOn else { return }
        }
        if isListing { try vouch(for: seen, meantBy: test) }
    }

    /// Verifies the sums over all rows.
    private mutating func verifyBeforeListing() throws(StatusError) {
        // A transaction has no state to bring up to until it has read something.
        _ = try items.page(PageNumber.header)
        try refresh()
        try verifyAllBuckets()
    }

    /// Makes sure that a listing saw every row: the sums vouch for the rows, not for the index that leads to them.
    private func vouch(for seen: [Int64], meantBy test: ItemTest) throws(StatusError) {
        var members: [Int64] = []
        if let groups = test.groups {
            for group in groups { members += try items.memberNumbers(of: test.filter.itemClass, in: group) }
        } else {
            members = try items.memberNumbers(of: test.filter.itemClass, in: nil)
        }
        guard seen.sorted() == members.sorted() else { throw StatusError(.undecodable, .indexDamaged) }
    }

    /// Opens a row and tests it; `nil` where it is not meant.
    mutating func match(
        _ stored: StoredRow,
        _ test: ItemTest,
        _ required: [IndexEntries.Entry],
        _ options: SearchOptions,
        byIdentity: Bool = false
    ) throws(StatusError) -> Match? {
        let columns = stored.row.columns
        guard test.admits(columns), test.admits(columns, requiring: required, byIdentity: byIdentity)
        else { return nil }
        try refresh()
        do throws(StatusError) {
            let item = try sealer.open(stored.row, with: &vouched.keybag)
            guard test.matches(item) else { return nil }
            return Match(stored: stored, item: item)
        } catch {
            let isUnproved = error.status == .authenticationNeeded
            if isUnproved, options.skipsConstrained { return nil }
            // Nothing opens it as long as other fingers are enrolled: for whoever searches, it is not there.
            if error.reason == .enrolledSetChanged, !options.acceptsUnopened { return nil }
            let isClosed =
                [.interactionNotAllowed, .authenticationNeeded].contains(error.status)
                || error.reason == .enrolledSetChanged
            guard isClosed || options.acceptsUnopened && error.status == .undecodable,
                let isMeant = isMeant(unopened: columns, test, byIdentity: byIdentity)
            else { throw error }
            guard isMeant else { return nil }
            guard options.acceptsUnopened else { throw error }
            return Match(stored: stored, item: nil)
        }
    }

    /// The digests of the groups in scope; `nil` for every group.
    private mutating func digests(of scope: AccessScope) throws(StatusError) -> [Bytes16]? {
        guard case .groups(let names) = scope else { return nil }
        var digests: [Bytes16] = []
        for name in names { digests.append(digest(ofGroup: name)) }
        return digests
    }

    mutating func digest(ofGroup name: String) -> Bytes16 {
        let value = AttributeValue.text(name)
        // A program has few groups: a scan beats a hash table.
        for known in groupDigests where known.name == value { return known.digest }
        let digest = keys.index.accessGroup(name)
        if groupDigests.count == 16 { groupDigests.removeFirst() }
        groupDigests.append(GroupDigest(name: value, digest: digest))
        return digest
    }
}
