// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore

// `security sync rebuild` starts a new generation of the circle, in which every device sends its items again under
// new names.
extension SyncStore {
    /// Switches to the circle's newest generation, and marks all items as ones to push.
    ///
    /// The items keep the time stamps of their last changes, which decide conflicts between devices.
    ///
    /// Records of the former generation that this device has not received yet are merged first, because the
    /// device that wrote them may be lost. These records are authentic, but some may be missing: this function does not
    /// detect that etcd has lost or hides a record.
    func startGeneration(_ manifests: [Manifest], former entries: [EtcdEntry]) throws(SyncError) {
        let received = try state().authenticRecords(entries)
        localOnly = [:]
        batch = Self.largestBatch
        rescan()
        try change { session, state throws(StatusError) in
            for record in received {
                try Merge(session, self, isStreaming: false, isFormer: true).receive(record, &state)
            }
            state.start(manifests)
            for known in Array(state.records.values) {
                if known.isUnknownItem {
                    try discardState(of: known, &state, in: session)
                } else {
                    try state.restart(known, in: session)
                }
            }
            try name(state.unnamed, &state, in: session)
            try state.saveManifests(in: session)
            try state.saveHeads(in: session)
            try state.saveCursor(in: session)
            try session.deletePage(StatePage.inFlight)
        }
    }

    /// Returns whether entries contain a manifest of a later generation of the circle; the manifest is not verified.
    func announcesGeneration(_ entries: [EtcdEntry]) -> Bool {
        guard let state = try? state(), let generation = state.manifest?.generation else { return false }
        return entries.contains { entry in
            guard entry.key.hasPrefix(state.paths.manifests) else { return false }
            return entry.value.flatMap { Manifest(decoding: $0) }.map { $0.generation > generation } ?? false
        }
    }

    /// Computes the record names of items that were locked when the circle was rebuilt, and are unlocked now.
    func nameRecords() throws(SyncError) {
        let unnamed = try state().unnamed
        guard !unnamed.isEmpty else { return }
        // Write nothing while the rows stay locked: the agent would mistake its own write for a local change.
        let ready = try read { session throws(StatusError) in
            var ready: [RecordState] = []
            for known in unnamed where try Self.item(of: known, in: session) != nil { ready.append(known) }
            return ready
        }
        guard !ready.isEmpty else { return }
        try change { session, state throws(StatusError) in try name(ready, &state, in: session) }
    }

    private func name(
        _ unnamed: [RecordState],
        _ state: inout LocalState,
        in session: SynchronizationSession
    ) throws(StatusError) {
        guard let keys = state.currentKeys else { return }
        for known in unnamed {
            guard let (row, item) = try Self.item(of: known, in: session) else { continue }
            var named = known
            named.name = keys.name(of: item)
            named.hasFormerName = false
            if let tombstone = state.records[named.name] {
                try merge(tombstone, into: &named, row, item, in: session)
            }
            state.set(named)
            try state.saveRecord(named.name, in: session)
        }
    }

    /// Merges a tombstone that was received while its item was locked, and the item's record name was unknown.
    private func merge(
        _ tombstone: RecordState,
        into known: inout RecordState,
        _ row: SynchronizedRow,
        _ item: SynchronizedItem,
        in session: SynchronizationSession
    ) throws(StatusError) {
        known.digest = tombstone.digest
        known.revision = tombstone.revision
        let isUnchanged = row.version == known.version && row.item == known.item
        guard isUnchanged, known.order < tombstone.order else { return }
        if !row.isTombstone { try keepConflict(item, of: known.device, at: known.clock, in: session) }
        try session.removeRow(of: known.identity)
        (known.item, known.version) = (.zero, 0)
        (known.clock, known.kind, known.device) = (tombstone.clock, .tombstone, tombstone.device)
        known.base = tombstone.base
        known.needsPush = false
        known.pending = []
    }

    /// Returns the row of a record and its item.
    ///
    /// The result is `nil` if there is no row, if the row is locked or damaged, or if a received record waits
    /// for an unlock.
    private static func item(
        of known: RecordState,
        in session: SynchronizationSession
    ) throws(StatusError) -> (SynchronizedRow, SynchronizedItem)? {
        guard known.pending.isEmpty, let row = try session.row(of: known.identity),
            session.isUnlocked(row.protection), let item = try session.openUnlessDamaged(row)
        else { return nil }
        return (row, item)
    }
}

extension LocalState {
    /// The items whose record names in this generation of the circle are not computed yet.
    fileprivate var unnamed: [RecordState] { records.values.filter(\.hasFormerName) }

    /// Switches to a new generation of the circle: replaces the manifests, and resets the heads, sums and revisions.
    fileprivate mutating func start(_ manifests: [Manifest]) {
        for manifest in manifests.dropFirst(self.manifests.count) {
            if let keys = manifest.keys(of: device) { self.keys[keys.epoch] = keys }
        }
        self.manifests = manifests
        heads = [:]
        total = .zero
        if let inFlight { cursor.sequence = max(cursor.sequence, inFlight.head.sequence) }
        inFlight = nil
        cursor.cluster = 0
        cursor.revision = 0
        cursor.headRevision = 0
        cursor.headTime = 0
        cursor.sum = .zero
    }

    /// Marks an item as one that must be pushed under a new record name.
    fileprivate mutating func restart(
        _ known: RecordState,
        in session: SynchronizationSession
    ) throws(StatusError) {
        var restarted = known
        restarted.digest = .zero
        restarted.revision = 0
        restarted.needsPush = true
        restarted.hasFormerName = true
        set(restarted)
        try saveRecord(restarted.name, in: session)
    }

    /// Returns the records among these entries that are authentic, new to this device, and of the known generation.
    fileprivate func authenticRecords(_ entries: [EtcdEntry]) -> [VerifiedRecord] {
        entries.compactMap { entry in
            guard let record = entry.value.flatMap({ Record(decoding: $0) }), let manifest,
                entry.key == paths.record(record.header.name.bytes.hexadecimal),
                records[record.header.name]?.digest != record.digest,
                record.header.circle == circle, record.header.generation == manifest.generation,
                let author = manifest.signingKey(of: record.header.device), record.isSigned(by: author),
                manifest.removal(of: record.header.device).map({ record.header.sequence <= $0.sequence })
                    ?? true,
                let keys = keys[record.header.epoch], let content = record.open(under: keys),
                content.item.map({ keys.name(of: $0) == record.header.name }) ?? true
            else { return nil }
            return VerifiedRecord(record: record, content: content, revision: entry.revision)
        }
    }
}
