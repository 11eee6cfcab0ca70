// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore

extension SyncStore {
    /// Seals local changes for one transaction of etcd; `nil` without changes, or if this device may not write.
    ///
    /// If an earlier change is in flight (not yet acknowledged by etcd), returns that change.
    ///
    /// The returned change is durable before it is sent, so that after a crash the same bytes are sent again.
    func prepareChange() throws(SyncError) -> InFlightChange? {
        let state = try state()
        if let inFlight = state.inFlight { return inFlight }
        // After an error, or if this device may not write, the outbox stays empty: the next call then reads all rows.
        var outbox = outbox
        self.outbox = Outbox()
        guard let keys = state.writingKeys else { return nil }
        let dirty = try read { session throws(StatusError) in
            try outbox.next(batch, DirtyRows(session, self, state, keys))
        }
        self.outbox = outbox
        guard !dirty.isEmpty else { return nil }
        return try seal(dirty, keys)
    }

    /// Records that etcd has applied a change, and seals the next local changes; `nil` without further changes, or if
    /// this device may no longer write.
    ///
    /// Both are done in one transaction of the store.
    /// This halves the transactions of the store, each of which waits for the disk.
    func prepareChange(
        after change: InFlightChange,
        appliedAt revision: UInt64
    ) throws(SyncError) -> InFlightChange? {
        let time = clock()
        raiseBatch()
        return try changeWithOutbox { session, state, outbox throws(StatusError) in
            try acknowledge(change, at: revision, &state, in: session)
            guard let keys = state.writingKeys else { return nil }
            let dirty = try outbox.next(batch, DirtyRows(session, self, state, keys))
            return dirty.isEmpty ? nil : try Self.seal(dirty, keys, at: time, &state, in: session)
        }
    }

    /// Seals a new ``Head`` without records, which shows other devices that this device is active.
    ///
    /// Returns `nil` if this device may not write.
    func prepareHeartbeat() throws(SyncError) -> InFlightChange? {
        guard let keys = try state().writingKeys else { return nil }
        return try seal([], keys)
    }

    /// Prepares a change of etcd: sealed rows, or tombstones to delete, and the new ``Head`` of this device.
    func seal(
        _ dirty: [DirtyRow],
        collecting tombstones: [RecordState] = [],
        _ keys: EpochKeys
    ) throws(SyncError) -> InFlightChange? {
        let time = clock()
        return try change { session, state throws(StatusError) in
            try Self.seal(dirty, collecting: tombstones, keys, at: time, &state, in: session)
        }
    }

    private static func seal(
        _ dirty: [DirtyRow],
        collecting tombstones: [RecordState] = [],
        _ keys: EpochKeys,
        at time: UInt64,
        _ state: inout LocalState,
        in session: SynchronizationSession
    ) throws(StatusError) -> InFlightChange? {
        guard let manifest = state.manifest else { return nil }
        var sum = state.cursor.sum
        let parts = parts(dirty, manifest, keys, state, &sum)
        for tombstone in tombstones { sum -= tombstone.term }
        let content = Head.Content(
            sum: sum,
            time: time,
            revision: state.cursor.revision,
            seen: state.heads.mapValues { $0.head.sequence }
        )
        let head = Head(
            content,
            sequence: state.cursor.sequence + 1,
            previous: state.cursor.headDigest,
            in: manifest,
            under: keys,
            by: state.device
        )
        let change = InFlightChange(
            head: head,
            sum: sum,
            time: time,
            manifestVersion: manifest.version,
            headRevision: state.cursor.headRevision,
            parts: parts,
            collected: tombstones.map { .init(name: $0.name, revision: $0.revision) }
        )
        state.inFlight = change
        try session.write(change.encoded, asPage: StatePage.inFlight)
        return change
    }

    /// Seals as many rows as fit into one transaction, and updates the sum over the device's records.
    private static func parts(
        _ dirty: [DirtyRow],
        _ manifest: Manifest,
        _ keys: EpochKeys,
        _ state: LocalState,
        _ sum: inout RecordSum
    ) -> [InFlightChange.Part] {
        var parts: [InFlightChange.Part] = []
        var size = 0
        for row in dirty {
            let known = state.records[row.name]
            let header = RecordHeader(
                circle: state.circle,
                generation: manifest.generation,
                name: row.name,
                epoch: keys.epoch,
                device: state.identifier,
                sequence: state.cursor.sequence + 1,
                clock: row.clock,
                base: known?.base ?? .zero,
                kind: row.item == nil ? .tombstone : .item
            )
            let record = Record(header, row.item, under: keys, by: state.device)
            size += record.encoded.count
            if size > Record.largestCount, !parts.isEmpty { break }
            if let known, known.digest != .zero { sum -= known.term }
            let part = row.part(record, replacing: known?.revision ?? 0)
            sum += part.term
            parts.append(part)
        }
        return parts
    }

    func transaction(for change: InFlightChange) throws(SyncError) -> EtcdTransaction {
        let paths = try state().paths
        var transaction = EtcdTransaction()
        transaction.comparisons.append((paths.manifest(change.manifestVersion + 1), 0))
        let head = paths.head(change.head.device.hexadecimal)
        transaction.comparisons.append((head, change.headRevision))
        for part in change.parts {
            let key = paths.record(part.record.header.name.bytes.hexadecimal)
            transaction.comparisons.append((key, part.replaced))
            transaction.changes.append((key, part.record.encoded))
        }
        for tombstone in change.collected {
            let key = paths.record(tombstone.name.bytes.hexadecimal)
            transaction.comparisons.append((key, tombstone.revision))
            transaction.changes.append((key, nil))
        }
        transaction.changes.append((head, change.head.encoded))
        transaction.changes.append((paths.newest, []))
        return transaction
    }

    /// Notes that etcd has applied a change at a revision; rows that were changed since are pushed later.
    func acknowledge(_ change: InFlightChange, at revision: UInt64) throws(SyncError) {
        raiseBatch()
        try self.change { session, state throws(StatusError) in
            try acknowledge(change, at: revision, &state, in: session)
        }
    }

    private func raiseBatch() { batch = min(batch * 2, Self.largestBatch) }

    private func acknowledge(
        _ change: InFlightChange,
        at revision: UInt64,
        _ state: inout LocalState,
        in session: SynchronizationSession
    ) throws(StatusError) {
        for part in change.parts {
            let name = part.record.header.name
            var known = state.records[name] ?? RecordState(name: name, identity: part.identity)
            if known.digest != .zero { state.total -= known.term }
            known.identity = part.identity
            known.adopt(part.record, row: nil)
            known.item = part.item
            known.version = part.version
            known.digest = part.record.digest
            known.revision = revision
            state.total += part.term
            state.set(known)
            try state.saveRecord(name, in: session)
        }
        // Do not add these rows to the outbox: it contains them already, and checks them once more.
        _ = state.takeChangedRows()
        for tombstone in change.collected {
            guard let known = state.records[tombstone.name], known.revision == tombstone.revision
            else { continue }
            state.total -= known.term
            try recordCollection(of: known, &state, in: session)
        }
        state.cursor.note(change, at: revision)
        if let content = state.keys[change.head.epoch].flatMap({ change.head.open(under: $0) }) {
            state.heads[state.identifier] = KnownHead(head: change.head, content: content, revision: revision)
        }
        state.inFlight = nil
        try state.saveHeads(in: session)
        try state.saveCursor(in: session)
        try session.deletePage(StatePage.inFlight)
    }

    /// Discards a change that etcd has not applied; its rows are pushed later.
    func abandonChange() throws(SyncError) {
        try change { session, state throws(StatusError) in
            // Skip the sequence number, because a head with other contents must not reuse it.
            if let change = state.inFlight { state.cursor.sequence = change.head.sequence }
            state.inFlight = nil
            try state.saveCursor(in: session)
            try session.deletePage(StatePage.inFlight)
        }
    }

    /// Limits the next changes to half the records of a change that etcd would refuse again at each attempt.
    ///
    /// If the change has only one record, the record's row stays on this device instead. Returns false if the change
    /// has no record, or only that of an item without a row.
    func reduceBatch(after change: InFlightChange) throws(SyncError) -> Bool {
        guard let first = change.parts.first else { return false }
        guard change.parts.count == 1 else {
            batch = max(1, change.parts.count / 2)
            return true
        }
        guard first.item != .zero else { return false }
        localOnly[first.item] = first.version
        // Save the list, so that other processes show it in the status. A new agent tries these rows again, because
        // etcd's limit may have been raised.
        var writer = FieldWriter()
        for (item, version) in localOnly {
            writer.append(item)
            writer.append(version)
        }
        try write { session throws(StatusError) in
            try session.write(writer.bytes, asPage: StatePage.refused)
        }
        return true
    }

    /// Counts the rows whose changes can be pushed now (the outbox), and those that stay on this device.
    ///
    /// The outbox does not include changed items that are locked.
    /// Both numbers are 0 if this device does not have the circle's current keys.
    func countUnsent() throws(SyncError) -> (outbox: Int, localOnly: Int) {
        let state = try state()
        guard let keys = state.currentKeys else { return (0, 0) }
        return try read { session throws(StatusError) in
            var reader = FieldReader(try session.page(StatePage.refused) ?? [])
            while let item = reader.bytes16(), let version: UInt64 = reader.number() {
                localOnly[item] = version
            }
            let rows = DirtyRows(session, self, state, keys)
            var outbox = Outbox()
            return (try outbox.next(.max, rows).count, try rows.localOnlyCount())
        }
    }
}
