// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainModel

/// Every change of the store goes through here: under the writer's lock, in one transaction, with the set hash and the
/// header brought along.
extension OpenStore {
    /// Runs a change, all or nothing; it is durable when this returns.
    ///
    /// With `deleting` it may use the space that is reserved on an almost full disk.
    ///
    /// With `scrubbing` nothing that was overwritten stays in the files: the log is emptied afterwards, by a later change
    /// or opening if readers or an end of the process come between. A change within another is a part of it.
    mutating func change<Result>(
        scrubbing: Bool = false,
        deleting: Bool = false,
        _ body: (inout OpenStore) throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        guard !isChanging else { return try body(&self) }
        isChanging = true
        defer { isChanging = false }
        try writer.acquire()
        defer { writer.release() }
        _ = try directory.inspect(StoreLocation.databaseName)
        try ensureInPlace()
        let before = vouched
        if scrubbing { try writer.noteScrubbing() }
        let result: Result
        do throws(StatusError) {
            result = try write(usingReserve: deleting, body)
        } catch {
            // Whether a commit that failed left something is for the next transaction to see.
            let attempted = vouched.lock?.state
            vouched = before
            vouched.contentVersion = nil
            if attempted != before.lock?.state { discardKeysOfAbortedEpoch() }
            throw error
        }
        vouched.contentVersion = items.contentVersion
        // Whoever took the files away meanwhile took the commit with them. It is not tried again: it may be there.
        guard isInPlace else { throw StatusError(.inputOutput, .databaseReplaced) }
        writer.noteAcknowledged(vouched.header.generation)
        if before.lock?.state != vouched.lock?.state { discardKeys() }
        if writer.owesScrubbing { scrub(waiting: scrubbing ? 1_000 : 0) }
        items.checkpointIfLong()
        return result
    }

    /// Runs the transaction.
    ///
    /// On a full disk, a deletion may use the space that the log occupies.
    private mutating func write<Result>(
        usingReserve: Bool,
        _ body: (inout OpenStore) throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        let before = vouched
        do throws(StatusError) {
            return try items.write(usingReserve: usingReserve) { () throws(StatusError) in
                try changeAndSeal(body)
            }
        } catch {
            guard error.status == .diskFull, usingReserve, items.emptyLog(waiting: 0) else { throw error }
            vouched = before
            vouched.contentVersion = nil
            return try items.write(usingReserve: true) { () throws(StatusError) in try changeAndSeal(body) }
        }
    }

    /// The change itself, within the transaction.
    private mutating func changeAndSeal<Result>(
        _ body: (inout OpenStore) throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        try refresh()
        // Where others have written what is not to be seen here, these are files that they do not have.
        guard vouched.header.generation >= writer.acknowledgedGeneration else {
            throw StatusError(.notAvailable, .databaseReplaced)
        }
        guard !vouched.header.isReadOnly else { throw StatusError(.readOnly, .readOnlyStore) }
        let unchanged = vouched.buckets
        let result = try body(&self)
        try seal(changedSince: unchanged)
        return result
    }

    /// Empties the log for the sake of what it and the database still have of something that was overwritten.
    private func scrub(waiting milliseconds: Int32) {
        if items.emptyLog(waiting: milliseconds) { writer.noteScrubbed() }
    }

    /// Does what a process that was killed, or one that met readers, has left to do; not while others write, who will.
    func scrubIfOwed() {
        guard writer.owesScrubbing, !writer.isReadOnly, !vouched.header.isReadOnly, writer.acquireIfFree()
        else {
            return
        }
        defer { writer.release() }
        if writer.owesScrubbing { scrub(waiting: 0) }
    }

    /// Writes the pages of the set hash that changed, then the header that vouches for them.
    private mutating func seal(changedSince unchanged: [BucketPage?]) throws(StatusError) {
        for (number, page) in vouched.buckets.enumerated() {
            guard let page, page != unchanged[number] else { continue }
            let content = page.sealed(as: number, with: keys)
            vouched.header.bucketDigests[number] = Bytes32(digestOf: content)
            try items.write(content, asPage: PageNumber.firstBuckets + Int64(number))
        }
        vouched.header.generation += 1
        try items.write(vouched.header.sealed(with: keys), asPage: PageNumber.header)
    }

    /// The sum that the header vouches for.
    mutating func sum(of bucket: UInt8) throws(StatusError) -> SetSum {
        try loadPage(of: bucket)[bucket]
    }

    private mutating func loadPage(of bucket: UInt8) throws(StatusError) -> BucketPage {
        let number = BucketPage.number(of: bucket)
        if let page = vouched.buckets[number] { return page }
        guard let content = try items.page(PageNumber.firstBuckets + Int64(number)),
            Bytes32(digestOf: content) == vouched.header.bucketDigests[number]
        else { throw StatusError(.undecodable, .setHashMismatch) }
        let page = try BucketPage(opening: content, as: number, with: keys)
        vouched.buckets[number] = page
        return page
    }

    private mutating func account(
        for row: ItemRow,
        _ combine: (inout SetSum, SetSum) -> Void
    ) throws(StatusError) {
        let bucket = row.columns.identity.leadingByte
        let number = BucketPage.number(of: bucket)
        var page = try loadPage(of: bucket)
        let term = keys.setHash(of: row)
        let wasVerified = vouched.verified[bucket] == page[bucket]
        combine(&page[bucket], term)
        if wasVerified { vouched.verified[bucket] = page[bucket] }
        vouched.buckets[number] = page
        if row.columns.tombstone { combine(&vouched.header.tombstoneSum, term) }
    }

    private mutating func count(_ row: ItemRow, by difference: Int) {
        let path: WritableKeyPath<StoreHeader, UInt64> =
            row.columns.tombstone ? \.tombstoneCount : \.itemCount
        vouched.header[keyPath: path] = vouched.header[keyPath: path] &+ UInt64(bitPattern: Int64(difference))
    }

    mutating func insert(_ row: ItemRow) throws(StatusError) {
        try items.insert(row, index: index(of: row))
        try account(for: row, +=)
        count(row, by: 1)
    }

    mutating func replace(_ old: StoredRow, with row: ItemRow) throws(StatusError) {
        try items.replace(old, with: row, oldIndex: index(of: old.row), newIndex: index(of: row))
        try account(for: old.row, -=)
        try account(for: row, +=)
        count(old.row, by: -1)
        count(row, by: 1)
    }

    mutating func delete(_ old: StoredRow) throws(StatusError) {
        try items.delete(old.number, index: index(of: old.row))
        try account(for: old.row, -=)
        count(old.row, by: -1)
    }

    /// Deletes a row that could not be opened, because it is locked or because it is damaged.
    ///
    /// A damaged row no longer adds up to what its bucket is vouched for, and after it is gone nothing could. So the
    /// bucket is summed anew, provided that no row is missing and none is too many.
    mutating func deleteUnopened(_ old: StoredRow) throws(StatusError) {
        let bucket = old.row.columns.identity.leadingByte
        guard try presentSum(of: bucket) != sum(of: bucket) else { return try delete(old) }
        guard try items.rowCount() == vouched.header.itemCount &+ vouched.header.tombstoneCount else {
            throw StatusError(.undecodable, .setHashMismatch)
        }
        let index = IndexEntries(old.row.columns.digests)?.entries.map { ($0.attribute, $0.digest) }
        try items.delete(old.number, index: index ?? [])
        var page = try loadPage(of: bucket)
        page[bucket] = try presentSum(of: bucket)
        vouched.buckets[BucketPage.number(of: bucket)] = page
        if old.row.columns.tombstone { vouched.header.tombstoneSum = try presentTombstoneSum() }
        count(old.row, by: -1)
    }

    private func index(of row: ItemRow) throws(StatusError) -> [(Attribute, Bytes16)] {
        guard let entries = IndexEntries(row.columns.digests) else {
            throw StatusError(.undecodable, .recordDamaged)
        }
        return entries.entries.map { ($0.attribute, $0.digest) }
    }

    /// Seals an item whose columns are final.
    mutating func sealed(
        _ columns: ItemColumns,
        _ attributes: Attributes,
        _ secret: Data?,
        under opener: AccessOpener?
    ) throws(StatusError) -> OpenedItem {
        try sealer.seal(attributes, secret: secret, columns: columns, under: opener, with: &vouched.keybag)
    }
}
