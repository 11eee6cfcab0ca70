// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// A database connection and the pages that it has authenticated.
///
/// Sessions of one process read concurrently and never wait for a writer. Only one thread at a time uses a
/// session: ``SessionPool`` ensures this. A ``WriteSession`` makes changes through such a session.
final class ReadSession {
    let store: StoreContext
    let rows: ItemStore
    var state: AuthenticatedState
    var cache = SearchCache()
    /// The count of replaced keys when the cache was last found up to date.
    private var keyReplacements: Int
    private var lastGroup: GroupDigest?
    /// The digests of access groups other than `lastGroup`, at most ``cachedGroups``.
    private var otherGroups: [GroupDigest] = []
    /// The clock for ``checkFilesUnreplacedThrottled()``, in milliseconds; tests stop it.
    var clock = { CoarseClock.now }
    private var lastCheck = CoarseClock.now
    private var readsSinceCheck = 0
    /// The stamp of the store's directory when its files were last found to be in place; `nil` requires another check.
    private var checked: DirectoryStamp?

    init(of store: StoreContext, _ rows: ItemStore, _ state: AuthenticatedState) {
        self.store = store
        self.rows = rows
        self.state = state
        keyReplacements = store.keySessions.replacementCount
    }

    // The writer lock excludes other processes, but not other threads of this process. No thread can be making a change
    // now, because the pool keeps its sessions until the store is closed.
    deinit { finishForNextProcess() }

    /// Opens another connection to a store that is open in this process.
    ///
    /// - Throws: `notAvailable` with `databaseReplaced` if the store's files have been replaced; otherwise the error of
    ///   opening or authenticating the database.
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

    private struct GroupDigest {
        let name: AttributeValue
        let digest: Bytes8
    }

    private static let cachedGroups = 16

    /// Returns the digest of an access group's name; caches the digests of several groups.
    ///
    /// The digest that was computed last is not in the array, because the first use of an array's type is slow, and
    /// most programs have only one group.
    func digest(ofGroup name: String) -> Bytes8 {
        let value = AttributeValue.string(name)
        if let lastGroup, lastGroup.name == value { return lastGroup.digest }
        // A linear scan is faster than a hash table, because a program has few groups.
        for known in otherGroups where known.name == value { return known.digest }
        if let lastGroup {
            if otherGroups.count == Self.cachedGroups { otherGroups.removeFirst() }
            otherGroups.append(lastGroup)
        }
        let digest = store.keys.index.accessGroup(name)
        lastGroup = GroupDigest(name: value, digest: digest)
        return digest
    }

    /// Reloads the authenticated pages if another connection has changed the database since they were read.
    func refresh() throws(StatusError) {
        try state.refresh(from: rows, with: store.keys, store.keySessions)
    }

    /// Reads the current header from the database, including changes by other processes.
    func reload() throws(StatusError) { try readCurrent {} }

    /// Calls `body` in a read transaction, with the current header.
    func readCurrent<Result>(
        _ body: () throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        try checkFilesUnreplaced()
        return try rows.read { () throws(StatusError) in
            // Read a page first, because SQLite updates its data version only on a read.
            _ = try rows.page(PageNumber.header)
            try refresh()
            return try body()
        }
    }

    /// Empties the search cache if keys were replaced since the last call, as by a lock.
    func emptyCacheIfKeysReplaced() {
        let count = store.keySessions.replacementCount
        guard count != keyReplacements else { return }
        keyReplacements = count
        cache.removeAll()
    }

    /// Reloads the lock epoch; returns whether it has changed, and false if reading fails.
    func reloadLockState() -> Bool {
        let before = state.lock?.epoch
        do throws(StatusError) { try reload() } catch { return false }
        return state.lock?.epoch != before
    }
}

// Checks whether files were deleted, moved or restored from a backup.
extension ReadSession {
    /// Whether the store's paths still refer to the files that this session has open.
    ///
    /// The files are not checked again while ``DirectoryStamp`` shows that no name in the directory has changed.
    var isInPlace: Bool {
        let stamp = store.directory.stamp
        if let stamp, stamp == checked { return true }
        checked = nil
        guard store.isInPlace, rows.hasFiles(in: store.directory) else { return false }
        // The stamp was read before the check. If a file is replaced during the check, the next call reads a
        // different stamp, and checks the files again.
        if let stamp, stamp.isSettled { checked = stamp }
        return true
    }

    /// Checks that the store's files have not been replaced since they were opened.
    ///
    /// - Throws: `notAvailable` with `databaseReplaced`.
    func checkFilesUnreplaced() throws(StatusError) {
        guard isInPlace else { throw StatusError(.notAvailable, .databaseReplaced) }
    }

    /// Checks that the files have not been replaced, but only once every few milliseconds or 4,096 reads.
    func checkFilesUnreplacedThrottled() throws(StatusError) {
        let now = clock()
        readsSinceCheck += 1
        guard now != lastCheck || readsSinceCheck >= Self.readsPerCheck else { return }
        lastCheck = now
        readsSinceCheck = 0
        try checkFilesUnreplaced()
    }

    /// The number of reads after which to check even if the coarse clock has not advanced.
    static let readsPerCheck = 4_096
}

// Multiset hashes: the hash of the rows in each bucket must equal the one in the header.
extension ReadSession {
    /// Verifies the multiset hash of an item's bucket (part of the rows), unless the last verification is still valid.
    ///
    /// - Throws: `undecodable` with `multisetHashMismatch` if another program has added, changed, removed or rolled
    ///   back rows of the bucket.
    func verifyBucket(of identity: ItemIdentity) throws(StatusError) {
        let bucket = identity.bucket
        guard !state.verified.contains(bucket) else { return }
        guard try matchesSum(of: bucket) else {
            throw StatusError(.undecodable, .multisetHashMismatch)
        }
        state.verified.insert(bucket)
    }

    /// Verifies the multiset hash of every bucket, and that the index of primary keys finds every row.
    func verifyAllBuckets() throws(StatusError) {
        guard state.verified != .all else { return }
        var sums = [MultisetHash](repeating: .zero, count: Bucket.count)
        try rows.forEachRow(.all, secrets: false) { stored throws(StatusError) in
            sums[stored.row.columns.identity.bucket.number] += store.keys.rowHash(of: stored.row)
            return true
        }
        guard try sums == state.header.bucketSums.all(with: store.keys) else {
            throw StatusError(.undecodable, .multisetHashMismatch)
        }
        state.verified = .all
    }

    /// Returns whether the rows that a bucket contains now match its multiset hash in the header.
    func matchesSum(of bucket: Bucket) throws(StatusError) -> Bool {
        try presentSum(of: bucket) == state.header.bucketSums.sum(of: bucket, with: store.keys)
    }

    /// Computes the multiset hash of the rows that a bucket contains now.
    func presentSum(of bucket: Bucket) throws(StatusError) -> MultisetHash {
        var sum = MultisetHash.zero
        for (group, itemClass) in try rows.classesByGroup() {
            try rows.forEachRow(.bucket(bucket, group, itemClass), secrets: false) {
                stored throws(StatusError) in
                sum += store.keys.rowHash(of: stored.row)
                return true
            }
        }
        return sum
    }

    /// Computes the multiset hash of all tombstones that the table contains now.
    func presentTombstoneSum() throws(StatusError) -> MultisetHash {
        var sum = MultisetHash.zero
        try rows.forEachRow(.all, secrets: false) { stored throws(StatusError) in
            if stored.row.columns.tombstone { sum += store.keys.rowHash(of: stored.row) }
            return true
        }
        return sum
    }
}

extension ReadSession {
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

    func itemCount(in groups: [String]) throws(StatusError) -> UInt64 {
        try rows.read { () throws(StatusError) in
            var count: UInt64 = 0
            for group in groups { count += try rows.itemCount(in: digest(ofGroup: group)) }
            return count
        }
    }
}
