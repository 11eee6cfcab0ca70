// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore

/// The rows whose changes may have to be pushed.
///
/// Whether a row must be pushed depends on the row, on the state of its record, and on the lock state. All three
/// are in the store. The store counts its changes: all rows are read the first time, and again only if this number, the
/// store's generation, shows that another connection has changed the store. A row stays in the outbox until a check
/// shows that it need not be pushed, or cannot be pushed now. A change that etcd has refused is therefore prepared
/// again.
struct Outbox {
    /// The identities of the rows to check, the next one last.
    private var candidates: [ItemIdentity] = []
    /// The candidates whose rows no longer exist; it was checked that no program without the store's keys removed them.
    private var gone: Set<ItemIdentity> = []
    /// The store's number of changes up to which the candidates are complete; `nil` before all rows were read.
    private var generation: UInt64?

    /// Returns at most `limit` rows to push, with different record names; locked rows wait for an unlock.
    ///
    /// After an error, the caller must discard the outbox, which may have lost candidates.
    mutating func next(_ limit: Int, _ rows: DirtyRows) throws(StatusError) -> [DirtyRow] {
        let found = try take(limit, rows)
        // Read all rows only once no candidate is left. Another program may change the store during the whole push, and
        // each call would then read all rows again.
        guard found.isEmpty, generation != rows.generation else { return found }
        let changed = try rows.changed()
        gone = changed.gone
        candidates = Array(changed.gone) + changed.present.reversed()
        generation = rows.generation
        return try take(limit, rows)
    }

    private mutating func take(_ limit: Int, _ rows: DirtyRows) throws(StatusError) -> [DirtyRow] {
        var found: [DirtyRow] = []
        var kept: [ItemIdentity] = []
        var names: Set<Bytes32> = []
        while found.count < limit, let identity = candidates.popLast() {
            guard let row = try rows.dirtyRow(of: identity, isVerified: gone.contains(identity)) else {
                continue
            }
            kept.append(identity)
            if row.row == nil { gone.insert(identity) }
            // Take one row per record name, because etcd refuses a transaction that changes a key twice.
            if names.insert(row.name).inserted { found.append(row) }
        }
        candidates += kept.reversed()
        return found
    }

    /// Adds rows to check, after the agent has changed what the store knows about their records.
    ///
    /// `generation` is the store's number of changes before the agent's change.
    mutating func add(_ identities: [ItemIdentity], changedAfter generation: UInt64) {
        guard let known = self.generation else { return }
        candidates += identities
        if known == generation { self.generation = generation + 1 }
    }
}

/// A row whose change was not pushed yet.
struct DirtyRow: Sendable {
    let name: Bytes32
    let identity: ItemIdentity
    /// The row; `nil` if it no longer exists.
    let row: SynchronizedRow?
    /// The item; `nil` for a tombstone.
    let item: SynchronizedItem?
    let clock: HybridClock

    func part(_ record: Record, replacing revision: UInt64) -> InFlightChange.Part {
        InFlightChange.Part(
            record: record,
            replaced: revision,
            identity: identity,
            item: row?.item ?? .zero,
            version: row?.version ?? 0
        )
    }
}

/// Finds the rows to push: those that were changed or deleted since the last synchronization, or whose record has
/// ``RecordState/needsPush``.
struct DirtyRows {
    private let session: SynchronizationSession
    private let store: SyncStore
    private let state: LocalState
    private let keys: EpochKeys

    init(_ session: SynchronizationSession, _ store: SyncStore, _ state: LocalState, _ keys: EpochKeys) {
        self.session = session
        self.store = store
        self.state = state
        self.keys = keys
    }

    /// The number of changes of the store from which the rows are read.
    var generation: UInt64 { session.generation }

    /// Reads all rows, without decrypting them, and returns the identities of those that may have to be pushed.
    func changed() throws(StatusError) -> (present: [ItemIdentity], gone: Set<ItemIdentity>) {
        store.scanCount += 1
        var changed: [ItemIdentity] = []
        var present: Set<ItemIdentity> = []
        for row in try session.rows() {
            present.insert(row.identity)
            if isChanged(row, state.record(of: row.identity)) { changed.append(row.identity) }
        }
        let gone = state.records.values.filter {
            $0.isDeletedWithoutRow && !present.contains($0.identity)
        }
        try verifyRows(unless: gone.isEmpty)
        return (changed, Set(gone.map(\.identity)))
    }

    /// Throws if a program without the store's keys has removed rows: other devices must not delete these items.
    private func verifyRows(unless isVerified: Bool) throws(StatusError) {
        if !isVerified { try session.verifyRows() }
    }

    /// Returns a row to push; `nil` if it need not be pushed, or cannot be pushed now, for example if it is locked.
    ///
    /// With `isVerified`, it was already checked that no program without the store's keys has removed rows.
    func dirtyRow(of identity: ItemIdentity, isVerified: Bool) throws(StatusError) -> DirtyRow? {
        if let row = try session.row(of: identity) { return try dirty(row) }
        guard let known = state.record(of: identity), known.isDeletedWithoutRow else { return nil }
        try verifyRows(unless: isVerified)
        let clock =
            known.kind == .tombstone
            ? known.clock : HybridClock(time: store.clock(), after: known.latestClock)
        return DirtyRow(name: known.name, identity: identity, row: nil, item: nil, clock: clock)
    }

    private func isChanged(_ row: SynchronizedRow, _ known: RecordState?) -> Bool {
        !isLocalOnly(row) && isUnsent(row, known)
    }

    /// Returns whether the row has a version that cannot be pushed.
    private func isLocalOnly(_ row: SynchronizedRow) -> Bool { store.localOnly[row.item] == row.version }

    /// The number of rows with changes that cannot be pushed.
    func localOnlyCount() throws(StatusError) -> Int {
        guard !store.localOnly.isEmpty else { return 0 }
        return try session.rows().count { isLocalOnly($0) && isUnsent($0, state.record(of: $0.identity)) }
    }

    private func isUnsent(_ row: SynchronizedRow, _ known: RecordState?) -> Bool {
        // Do not push the tombstone of an item that was never pushed: no other device has the item.
        guard let known else { return !row.isTombstone }
        // A rebuild of the circle changes the names of records. The new name is computed from the decrypted item, so
        // a row whose record still has the former name waits for an unlock.
        guard !known.hasFormerName, known.pending.isEmpty else { return false }
        return known.needsPush || !known.matches(row)
    }

    private func dirty(_ row: SynchronizedRow) throws(StatusError) -> DirtyRow? {
        let known = state.record(of: row.identity)
        guard isChanged(row, known) else { return nil }
        if let known, row.isTombstone { return try tombstone(row, known) }
        guard session.isUnlocked(row.protection) else { return nil }
        guard let item = try session.openUnlessDamaged(row), item.encoded.count <= Record.largestCount - 4_096
        else {
            store.localOnly[row.item] = row.version
            return nil
        }
        let name = keys.name(of: item)
        // Search by the record's name, too: if only the item's tombstone was received, the identity in its state is a
        // placeholder.
        let replaced = state.records[name]
        if let replaced, !replaced.pending.isEmpty { return nil }
        let isUnchanged = replaced.map { $0.matches(row) } ?? false
        let clock = HybridClock(time: item.modificationTime, after: replaced?.latestClock)
        return DirtyRow(
            name: name,
            identity: row.identity,
            row: row,
            item: item,
            clock: isUnchanged ? replaced?.clock ?? clock : clock
        )
    }

    private func tombstone(_ row: SynchronizedRow, _ known: RecordState) throws(StatusError) -> DirtyRow? {
        let isUnlocked = session.isUnlocked(row.protection)
        let time = isUnlocked ? try session.openUnlessDamaged(row)?.modificationTime : nil
        let clock =
            known.matches(row)
            ? known.clock : HybridClock(time: time ?? store.clock(), after: known.latestClock)
        return DirtyRow(name: known.name, identity: row.identity, row: row, item: nil, clock: clock)
    }
}

extension RecordState {
    /// Whether a tombstone must be pushed if the store has no row of the item.
    fileprivate var isDeletedWithoutRow: Bool {
        !hasFormerName && pending.isEmpty && (kind == .item ? version > 0 : needsPush && version == 0)
    }
}

extension LocalState {
    /// Returns what is known about the record of the item with this identity.
    fileprivate func record(of identity: ItemIdentity) -> RecordState? {
        names[identity].flatMap { records[$0] }
    }
}

extension SynchronizationSession {
    /// Decrypts an item like ``open(_:)``; also `nil` if the row is damaged.
    func openUnlessDamaged(_ row: SynchronizedRow) throws(StatusError) -> SynchronizedItem? {
        do throws(StatusError) {
            return try open(row)
        } catch {
            guard error.status == .undecodable else { throw error }
            return nil
        }
    }
}
