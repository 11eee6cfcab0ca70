// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore

// Applies verified changes of other devices.
extension SyncStore {
    /// Verifies changes, then applies them and saves their revision in one transaction.
    ///
    /// With `isStreaming`, the entries come from a watch of etcd that has skipped no version of a record. With
    /// `isComplete`, the entries are all keys of the circle.
    func apply(
        _ entries: [EtcdEntry],
        revision: UInt64,
        cluster: UInt64,
        isComplete: Bool = false,
        isStreaming: Bool = false
    ) throws(SyncError) {
        let known = try state().cursor
        // Write nothing if nothing is new: the agent would mistake its own write for a local change.
        guard !entries.isEmpty || isComplete || revision > known.revision || cluster != known.cluster else {
            return
        }
        let changes = try ChangeVerifier.verify(
            entries,
            revision: revision,
            cluster: cluster,
            isComplete: isComplete,
            isStreaming: isStreaming,
            with: state()
        )
        try checkCopies(changes)
        try change { session, state throws(StatusError) in
            try state.take(changes.manifests, changes.keys, in: session)
            if state.heads != changes.heads {
                state.heads = changes.heads
                try state.saveHeads(in: session)
            }
            for record in changes.records {
                try Merge(session, self, isStreaming: isStreaming).receive(record, &state)
            }
            for name in changes.absent { try removeItem(named: name, &state, in: session) }
            state.total = changes.total
            state.cursor.revision = max(state.cursor.revision, changes.revision)
            state.cursor.cluster = changes.cluster
            if let own = state.foreignHead(among: changes.heads) { adopt(own, &state) }
            try state.saveCursor(in: session)
        }
    }

    /// Throws `deviceKeyUsedTwice` if another copy of this store has written twice within a day.
    ///
    /// A store that was restored from an old copy continues from the last ``Head`` that the lost store has
    /// written; this is permitted once a day.
    private func checkCopies(_ changes: VerifiedChanges) throws(SyncError) {
        let state = try state()
        guard state.foreignHead(among: changes.heads) != nil else { return }
        let (last, now) = (state.cursor.adoptionTime, clock())
        guard now < last || now - last > 86_400_000 else { throw .deviceKeyUsedTwice }
    }

    /// Continues the sequence numbers and the sum of a ``Head`` that another copy of this store has written.
    private func adopt(_ own: KnownHead, _ state: inout LocalState) {
        state.cursor.adoptionTime = clock()
        state.cursor.sequence = max(state.cursor.sequence, own.head.sequence)
        state.cursor.headDigest = own.head.digest
        state.cursor.headRevision = own.revision
        state.cursor.sum = own.content.sum
        state.cursor.headTime = own.content.time
    }

    /// Applies received records, and removes deleted items, whose protection class has been unlocked.
    ///
    /// A rebuild of the circle changes the names of records: also computes the new names for items that were locked
    /// during the rebuild.
    ///
    /// Later calls do nothing until another connection changes the store, by an unlock for example, or until
    /// ``rescan()`` is called. Each change of the store increments `session.generation`.
    func applyPending() throws(SyncError) {
        let generation = try read { session throws(StatusError) in session.generation }
        guard waitingGeneration != generation else { return }
        waitingGeneration = generation
        do throws(SyncError) {
            try mergePending()
            try removeUnlockedItems()
            try nameRecords()
        } catch {
            waitingGeneration = nil
            throw error
        }
    }

    private func mergePending() throws(SyncError) {
        let known = try state()
        let waiting = known.records.values.compactMap { Self.pendingRecord($0, known) }
        guard !waiting.isEmpty else { return }
        // Write nothing while the records stay locked: the agent would mistake its own write for a local change.
        let ready = try read { session throws(StatusError) in
            let merge = Merge(session, self, isStreaming: false)
            var ready: [VerifiedRecord] = []
            for record in waiting where try merge.isReady(record, known) { ready.append(record) }
            return ready
        }
        guard !ready.isEmpty else { return }
        try change { session, state throws(StatusError) in
            for record in ready {
                try Merge(session, self, isStreaming: false).receive(record, &state)
            }
        }
    }

    private static func pendingRecord(_ known: RecordState, _ state: LocalState) -> VerifiedRecord? {
        guard !known.pending.isEmpty, let record = Record(decoding: known.pending),
            let keys = state.keys[record.header.epoch], let content = record.open(under: keys)
        else { return nil }
        return VerifiedRecord(record: record, content: content, revision: known.revision)
    }
}

/// Merges one received record with the row of the same item.
struct Merge {
    private let session: SynchronizationSession
    private let store: SyncStore
    private let isStreaming: Bool
    /// Whether the records were written before a rebuild, and may be older than a tombstone already deleted from etcd.
    private let isFormer: Bool

    init(
        _ session: SynchronizationSession,
        _ store: SyncStore,
        isStreaming: Bool,
        isFormer: Bool = false
    ) {
        self.session = session
        self.store = store
        self.isStreaming = isStreaming
        self.isFormer = isFormer
    }

    private struct Local {
        var row: SynchronizedRow?
        var item: SynchronizedItem?
        var order: RecordOrder
        var isDirty: Bool
        /// Whether the row was changed since it last matched a record.
        var isEdited: Bool
    }

    func receive(_ verified: VerifiedRecord, _ state: inout LocalState) throws(StatusError) {
        let record = verified.record
        guard let identity = identity(of: verified, state) else {
            // The record is a tombstone of an item that this device never had.
            return try note(verified, &state)
        }
        var known =
            state.record(named: record.header.name, or: identity)
            ?? RecordState(name: record.header.name, identity: identity)
        if known.isCollected, !isFormer, !known.hasFormerName {
            // The author of the record has not seen the deletion, or has added the item again: forget the deletion.
            known = RecordState(name: record.header.name, identity: identity)
        }
        // The known identity is a placeholder if only a tombstone was received so far: see `note`.
        known.identity = identity
        if known.name != record.header.name {
            known.name = record.header.name
            known.hasFormerName = false
            known.pending = []
        }
        // A record from before a rebuild of the circle is not in etcd under the item's new name, so digest and revision
        // stay unset.
        if !known.hasFormerName {
            known.digest = record.digest
            known.revision = verified.revision
            known.receivedClock = record.header.clock
        }
        let isLocked: Bool
        if let local = try local(known, state) {
            isLocked = try !merge(verified, local, &known)
        } else {
            isLocked = true
        }
        if isLocked { known.pending = record.encoded }
        if known.hasFormerName { known.needsPush = true }
        state.set(known)
        try state.saveRecord(known.name, in: session)
    }

    /// Returns whether a received record can be merged now: whether the versions that the merge must decrypt are
    /// unlocked, and the local one is not damaged.
    func isReady(_ verified: VerifiedRecord, _ state: LocalState) throws(StatusError) -> Bool {
        guard let known = state.records[verified.record.header.name] else { return false }
        if let item = verified.content.item, !session.isUnlocked(item.protection) { return false }
        guard let local = try local(known, state) else { return false }
        guard local.isDirty || isOlder(verified.record, local), local.item == nil, let row = local.row,
            !row.isTombstone
        else { return true }
        return session.isUnlocked(row.protection)
    }

    private func identity(of verified: VerifiedRecord, _ state: LocalState) -> ItemIdentity? {
        if let item = verified.content.item { return session.identity(of: item) }
        return state.records[verified.record.header.name]?.identity
    }

    /// Saves the state of a tombstone whose item this device never had.
    private func note(_ verified: VerifiedRecord, _ state: inout LocalState) throws(StatusError) {
        let name = verified.record.header.name
        // The identity cannot be computed without the item. Use the name instead: no row has that identity.
        guard let identity = ItemIdentity(name.asIdentity) else { return }
        var known = RecordState(name: name, identity: identity)
        known.adopt(verified.record, row: nil)
        known.digest = verified.record.digest
        known.revision = verified.revision
        state.set(known)
        try state.saveRecord(name, in: session)
    }

    /// Returns the local version of an item; `nil` if the row was changed and cannot be decrypted.
    private func local(_ known: RecordState, _ state: LocalState) throws(StatusError) -> Local? {
        let row = try session.row(of: known.identity)
        let isUnchanged =
            known.base != .zero && row?.version ?? 0 == known.version
            && row?.item ?? .zero == known.item
        if isUnchanged {
            let isDirty = known.needsPush
            return Local(row: row, item: nil, order: known.order, isDirty: isDirty, isEdited: false)
        }
        guard let row, !row.isTombstone else { return try deleted(row, known, state) }
        guard session.isUnlocked(row.protection), let item = try session.openUnlessDamaged(row) else {
            return nil
        }
        return Local(
            row: row,
            item: item,
            order: order(time: item.modificationTime, known, .item, state),
            isDirty: true,
            isEdited: true
        )
    }

    /// Returns the local version of an item without a row, or whose row is a tombstone.
    ///
    /// If this device never had the item, the time of the version is 0, so that the received record wins. If it had the
    /// item, the item was deleted after the last synchronization: at the time of the tombstone or, if the tombstone is
    /// missing or cannot be read, now.
    private func deleted(
        _ row: SynchronizedRow?,
        _ known: RecordState,
        _ state: LocalState
    ) throws(StatusError) -> Local {
        let wasHere = known.base != .zero
        var time = wasHere ? store.clock() : 0
        if wasHere, let row, session.isUnlocked(row.protection),
            let item = try session.openUnlessDamaged(row)
        {
            time = item.modificationTime
        }
        let order = order(time: time, known, .tombstone, state)
        return Local(row: row, item: nil, order: order, isDirty: wasHere, isEdited: wasHere)
    }

    private func order(
        time: UInt64,
        _ known: RecordState,
        _ kind: RecordKind,
        _ state: LocalState
    ) -> RecordOrder {
        let clock =
            time == 0
            ? HybridClock(value: 0) : HybridClock(time: time, after: known.base == .zero ? nil : known.clock)
        return RecordOrder(clock: clock, kind: kind, device: state.identifier, digest: .zero)
    }

    /// Merges a record with the local version; returns false if this is possible only after unlocking.
    private func merge(
        _ verified: VerifiedRecord,
        _ local: Local,
        _ known: inout RecordState
    ) throws(StatusError) -> Bool {
        let record = verified.record
        let item = verified.content.item
        if record.digest == known.base || local.isEdited && record.isVersion(of: known) {
            // There is nothing to merge: the row matches the record, or was changed after it matched the record.
            known.base = record.digest
            known.pending = []
            return true
        }
        if let item, !session.isUnlocked(item.protection) { return false }
        let hasLocal = local.row.map { !$0.isTombstone } ?? false
        let isConcurrent =
            isOlder(record, local)
            || isStreaming && hasLocal && known.base != .zero && record.header.base != known.base
        var mine = local.item
        if mine == nil, hasLocal, local.isDirty || isConcurrent, let row = local.row {
            guard session.isUnlocked(row.protection) else { return false }
            mine = try session.openUnlessDamaged(row)
        }
        let isEqual = item.map { item in mine.map { $0.hasContent(of: item) } ?? false } ?? (mine == nil)
        let decision = MergeDecision(
            remote: record.order,
            local: local.order,
            // If the row was not edited, and the record is based on the row's version, the author saw that version.
            isDirty: local.isDirty && (local.isEdited || record.header.base != known.base),
            isConcurrent: isConcurrent,
            isEqual: isEqual
        )
        if decision == .adopt {
            known.adopt(record, row: local.row)
        } else {
            try perform(decision, verified, mine, &known)
        }
        return true
    }

    /// Returns whether a record is older than the local version that it has replaced in etcd.
    ///
    /// The author of such a record had not seen the local version. For a record of a former generation of the circle,
    /// the result is `false`, because etcd may have been restored from a backup and then has older records.
    private func isOlder(_ record: Record, _ local: Local) -> Bool {
        !isFormer && record.order < local.order
    }

    private func perform(
        _ decision: MergeDecision,
        _ verified: VerifiedRecord,
        _ mine: SynchronizedItem?,
        _ known: inout RecordState
    ) throws(StatusError) {
        switch decision {
        case .adopt: break
        case .apply, .applyKeepingLocal:
            if decision == .applyKeepingLocal, let mine {
                try store.keepConflict(mine, of: known.device, at: known.clock, in: session)
            }
            var row: SynchronizedRow?
            if let item = verified.content.item {
                row = try session.put(item)
            } else {
                try session.removeRow(of: known.identity)
            }
            known.adopt(verified.record, row: row)
        case .keepLocal, .keepLocalKeepingRemote:
            if decision == .keepLocalKeepingRemote, let item = verified.content.item {
                let header = verified.record.header
                try store.keepConflict(item, of: header.device, at: header.clock, in: session)
            }
            known.needsPush = true
            known.pending = []
        }
    }
}

extension Record {
    /// Returns whether the record is the version that the local row matched last, sent again in a new generation of
    /// the circle.
    fileprivate func isVersion(of known: RecordState) -> Bool {
        header.base == known.base && header.clock == known.clock && header.kind == known.kind
    }
}

extension RecordState {
    /// Whether this is the tombstone of an item that this device never had, so that its identity is unknown.
    var isUnknownItem: Bool { kind == .tombstone && identity == ItemIdentity(name.asIdentity) }
}

extension Bytes32 {
    /// A record's name as a placeholder for the identity of an item that this device never had.
    ///
    /// `ItemIdentity(_:)` returns `nil` if byte 8 is not the number of an item class, so byte 8 becomes a valid number.
    fileprivate var asIdentity: Bytes32 {
        var bytes = bytes
        bytes[8] = ItemClass.genericPassword.rawValue
        return Bytes32(bytes) ?? .zero
    }
}
