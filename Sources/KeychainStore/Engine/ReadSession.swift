// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// A database connection and the state it has authenticated.
///
/// Sessions of one process read concurrently and never wait for a writer. Only one thread at a time uses a
/// session: ``SessionPool`` and ``EmbeddedKeychain`` ensure this.
final class ReadSession {
    let store: StoreContext
    let rows: ItemStore
    var state: AuthenticatedState
    var cache = SearchCache()
    private var lastCheck = CoarseClock.now
    private var readsSinceCheck = 0
    /// The directory's stamp before the last check of each file; `nil` requires another check.
    private var checked: DirectoryStamp?

    init(of store: StoreContext, _ rows: ItemStore, _ state: AuthenticatedState) {
        self.store = store
        self.rows = rows
        self.state = state
    }

    /// Opens another connection to an open store.
    ///
    /// - Throws: `notAvailable` with `databaseReplaced` if its files have been replaced.
    convenience init(of store: StoreContext) throws(StatusError) {
        let acknowledged = store.writerLock.acknowledgedGeneration
        do throws(StatusError) {
            let rows = try ItemStore(in: store.directory, store.location)
            let state = try AuthenticatedState.load(
                from: rows,
                acknowledged: acknowledged,
                with: store.keys,
                store.keySessions
            )
            try rows.accept(in: store.directory)
            self.init(of: store, rows, state)
            try checkFilesUnreplaced()
        } catch {
            guard error.reason != .databaseMissing, store.isInPlace else {
                throw StatusError(.notAvailable, .databaseReplaced)
            }
            throw error
        }
    }

    /// Brings the state up to date with the open transaction.
    func refresh() throws(StatusError) {
        try state.refresh(from: rows, with: store.keys, store.keySessions)
    }

    /// Reads the current header, including changes by other processes.
    func reload() throws(StatusError) {
        try checkFilesUnreplaced()
        try rows.read { () throws(StatusError) in
            // SQLite updates its version of the contents only on a read.
            _ = try rows.page(PageNumber.header)
            try refresh()
        }
    }

    /// Discards the decrypted items of earlier calls.
    func discardOpened() { cache.removeAll() }

    /// Reads the lock epoch again; returns whether another process has changed it.
    func reloadLockState() -> Bool {
        let before = state.lock?.epoch
        do throws(StatusError) { try reload() } catch { return false }
        return state.lock?.epoch != before
    }
}

// Checks for files that were deleted, moved or restored from a backup.
extension ReadSession {
    /// Whether the paths of the store still lead to its open files.
    ///
    /// Checks them one by one only if a name in the directory has changed since the last time.
    var isInPlace: Bool {
        let stamp = store.directory.stamp
        if let stamp, stamp == checked { return true }
        checked = nil
        guard store.isInPlace, rows.hasFiles(in: store.directory) else { return false }
        // The stamp was read before the check, so a file that is replaced during the check makes it unequal.
        if let stamp, stamp.isSettled { checked = stamp }
        return true
    }

    /// Checks that the files have not been replaced.
    ///
    /// - Throws: `notAvailable` with `databaseReplaced`.
    func checkFilesUnreplaced() throws(StatusError) {
        guard isInPlace else { throw StatusError(.notAvailable, .databaseReplaced) }
    }

    /// Checks that the files have not been replaced, once every few milliseconds.
    func checkFilesUnreplacedThrottled() throws(StatusError) {
        let now = CoarseClock.now
        readsSinceCheck += 1
        guard now != lastCheck || readsSinceCheck >= Self.readsPerCheck else { return }
        lastCheck = now
        readsSinceCheck = 0
        try checkFilesUnreplaced()
    }

    /// Checks continue at this interval even if the clock does not advance.
    private static let readsPerCheck = 4_096
}

// The multiset hashes: the rows of a bucket must match the hash in the header.
extension ReadSession {
    /// Verifies the bucket of an identity, unless it is verified and unchanged.
    ///
    /// - Throws: `undecodable` with `setHashMismatch` if rows were added, removed or rolled back by another
    ///   program.
    func verifyBucket(of identity: ItemIdentity) throws(StatusError) {
        let bucket = identity.bucket
        let expected = state.header[bucket]
        guard state.verified[bucket.number] != expected else { return }
        guard try presentSum(of: bucket) == expected else {
            throw StatusError(.undecodable, .setHashMismatch)
        }
        state.verified[bucket.number] = expected
    }

    /// Verifies every bucket, and that the identity index leads to every row.
    func verifyAllBuckets() throws(StatusError) {
        guard Bucket.all.contains(where: { state.verified[$0.number] != state.header[$0] }) else { return }
        var sums = [SetSum](repeating: .zero, count: Bucket.count)
        try rows.forEachRow(.all, secrets: false) { stored throws(StatusError) in
            sums[stored.row.columns.identity.bucket.number] += store.keys.setHash(of: stored.row)
            return true
        }
        guard Bucket.all.allSatisfy({ sums[$0.number] == state.header[$0] }) else {
            throw StatusError(.undecodable, .setHashMismatch)
        }
        state.verified = sums
    }

    /// The multiset hash of the rows in a bucket.
    func presentSum(of bucket: Bucket) throws(StatusError) -> SetSum {
        var sum = SetSum.zero
        for (group, itemClass) in try rows.classesByGroup() {
            try rows.forEachRow(.bucket(bucket, group, itemClass), secrets: false) {
                stored throws(StatusError) in
                sum += store.keys.setHash(of: stored.row)
                return true
            }
        }
        return sum
    }

    /// The multiset hash of all tombstones.
    func presentTombstoneSum() throws(StatusError) -> SetSum {
        var sum = SetSum.zero
        try rows.forEachRow(.all, secrets: false) { stored throws(StatusError) in
            if stored.row.columns.tombstone { sum += store.keys.setHash(of: stored.row) }
            return true
        }
        return sum
    }
}

extension ReadSession {
    /// The status of the store, from its current header.
    func status() throws(StatusError) -> StoreStatus {
        try reload()
        let source = state.keys.source
        let keyCache = store.keySessions.keyCache
        return StoreStatus(
            formatMajor: Int(StoreHeader.major),
            formatMinor: Int(StoreHeader.minor),
            store: store.keys.store,
            generation: state.header.generation,
            itemCount: state.header.itemCount,
            tombstoneCount: state.header.tombstoneCount,
            isReadOnly: rows.isReadOnly || store.writerLock.isReadOnly || state.header.isReadOnly,
            passcodeIsSet: state.keys.keybag.passcodeIsSet,
            keyCache: state.keys.keybag.passcodeIsSet
                ? source?.location(with: store.keys) ?? keyCache.kind : .deviceKeyOnly,
            lockState: source?.lockState(with: store.keys) ?? .noPasscode,
            lockSettings: state.lock?.settings ?? LockSettings()
        )
    }

    /// The number of items in the given access groups; decrypts no item.
    func itemCount(in groups: [String]) throws(StatusError) -> UInt64 {
        try rows.read { () throws(StatusError) in
            var count: UInt64 = 0
            for group in groups { count += try rows.itemCount(in: store.digest(ofGroup: group)) }
            return count
        }
    }
}
