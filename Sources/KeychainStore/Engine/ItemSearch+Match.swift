// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Compares rows with a filter by their columns, digests and decrypted attributes.
extension ItemSearch {
    /// Decrypts a row and tests it; `nil` if it does not match.
    ///
    /// A matching row contains the digests in `required`. With `byIdentity`, the row was found by the digest of its
    /// primary key, so the attributes of the primary key match already.
    func match(
        _ stored: StoredRow,
        _ test: ItemTest,
        _ required: [IndexEntries.Entry],
        _ options: SearchOptions,
        byIdentity: Bool = false
    ) throws(StatusError) -> Match? {
        let columns = stored.row.columns
        guard test.mayMatch(columns), test.mayMatch(columns, requiring: required, byIdentity: byIdentity)
        else { return nil }
        try session.refresh()
        do throws(StatusError) {
            let item = try sealer.open(stored.row, with: session.state.keys)
            return test.matches(item) ? Match(stored: stored, item: item) : nil
        } catch {
            // Whether decryption fails depends on this call's credential, so do not cache the result.
            session.cache.cancelRecording()
            if error.status == .authenticationNeeded, options.skipsConstrained { return nil }
            // A search for all items, or one with `skipsConstrained`, omits those that require a higher caller level.
            if error.reason == .callerLevelTooLow, options.skipsConstrained || options.exhaustive {
                return nil
            }
            // A search omits an item that is bound to fingers that are no longer enrolled; a deletion may match it.
            if error.reason == .enrolledSetChanged, !options.acceptsUnopened { return nil }
            let isLocked =
                [.interactionNotAllowed, .authenticationNeeded].contains(error.status)
                || error.reason == .enrolledSetChanged
            guard isLocked || options.acceptsUnopened && error.status == .undecodable,
                let matches = matchesByDigests(columns, test, byIdentity: byIdentity)
            else { throw error }
            guard matches else { return nil }
            guard options.acceptsUnopened else { throw error }
            return Match(stored: stored, item: nil)
        }
    }

    /// Returns true if columns and digests decide that an undecryptable row matches; `nil` if they do not decide it.
    ///
    /// The caller has already excluded rows whose columns or digests do not match.
    private func matchesByDigests(_ columns: ItemColumns, _ test: ItemTest, byIdentity: Bool) -> Bool? {
        let required = entries(of: test.searchable, columns.itemClass, in: columns.accessGroup)
        return test.isDecided(byDigestsOf: required, identity: byIdentity) ? true : nil
    }

    /// Returns the digests that searchable attribute values have in an access group.
    func entries(
        of values: [(rule: AttributeRule, value: AttributeValue)],
        _ itemClass: ItemClass,
        in group: Bytes8
    ) -> [IndexEntries.Entry] {
        values.map { rule, value in
            IndexEntries.Entry(
                attribute: rule.attribute,
                digest: session.store.keys.index.attribute(rule, value, of: itemClass, in: group)
            )
        }
    }
}
