// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Changes rows, and updates the multiset hashes and counts in the header accordingly.
extension WriteSession {
    func insert(_ item: OpenedItem) throws(StatusError) {
        try rows.insert(item.row)
        noteOptionalKey(of: item)
        try account(for: item.row, +=)
        count(item.row, by: 1)
    }

    func replace(_ old: StoredRow, with item: OpenedItem) throws(StatusError) {
        noteOptionalKey(of: item)
        try replace(old, with: item.row)
    }

    private func noteOptionalKey(of item: OpenedItem) {
        guard ItemSchema.of(item.row.columns.itemClass).hasOptionalKey(item.attributes) else { return }
        state.header.hasOptionalKeys = true
    }

    /// Replaces a row, without recording in the header whether its primary key has an optional part.
    func replace(_ old: StoredRow, with row: ItemRow) throws(StatusError) {
        try rows.replace(old, with: row)
        try account(for: old.row, -=)
        try account(for: row, +=)
        count(old.row, by: -1)
        count(row, by: 1)
    }

    func delete(_ old: StoredRow) throws(StatusError) {
        try rows.delete(old)
        try account(for: old.row, -=)
        count(old.row, by: -1)
    }

    /// Deletes a row that was not decrypted, for example because it is locked or damaged, or has an access control.
    ///
    /// A damaged row does not match the multiset hash of its bucket (part of the rows), and after its deletion the
    /// bucket could never match again. The hash is therefore recomputed, after checking that the table has as many
    /// rows as the header says.
    func deleteUnopened(_ old: StoredRow) throws(StatusError) {
        let bucket = old.row.columns.identity.bucket
        guard try !reader.matchesSum(of: bucket) else { return try delete(old) }
        guard try rows.rowCount() == state.header.itemCount &+ state.header.tombstoneCount else {
            throw StatusError(.undecodable, .multisetHashMismatch)
        }
        try rows.delete(old)
        let sum = try reader.presentSum(of: bucket)
        try state.header.bucketSums.change(bucket, with: store.keys) { $0 = sum }
        state.verified.insert(bucket)
        if old.row.columns.tombstone { state.header.tombstoneSum = try reader.presentTombstoneSum() }
        count(old.row, by: -1)
    }

    private func account(
        for row: ItemRow,
        _ combine: (inout MultisetHash, MultisetHash) -> Void
    ) throws(StatusError) {
        let bucket = row.columns.identity.bucket
        let term = store.keys.rowHash(of: row)
        try state.header.bucketSums.change(bucket, with: store.keys) { combine(&$0, term) }
        if row.columns.tombstone { combine(&state.header.tombstoneSum, term) }
    }

    private func count(_ row: ItemRow, by difference: Int64) {
        let change = UInt64(bitPattern: difference)
        if row.columns.tombstone {
            state.header.tombstoneCount &+= change
        } else {
            state.header.itemCount &+= change
        }
    }
}
