// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore

// Deletes tombstones that every active device has received.
extension SyncStore {
    /// How long tombstones wait for a device that writes no new ``Head``: 90 days, in milliseconds.
    private static let activeDuration: UInt64 = 90 * 86_400_000

    /// Returns the names of the tombstones that can be deleted from etcd; none if this device may not write.
    ///
    /// A device deletes the tombstones that it wrote, an admin also those of removed devices.
    func findTombstones() throws(SyncError) -> [Bytes32] {
        let state = try state()
        guard let member = state.member, member.role.writes, let manifest = state.manifest else { return [] }
        tombstoneScanCount += 1
        let (own, seen) = (state.identifier, seenRevision(state, manifest))
        return state.records.values.filter { known in
            known.isDeletable && known.revision <= seen
                && (known.device == own
                    || member.role == .admin && manifest.removal(of: known.device) != nil)
        }.map(\.name)
    }

    /// Prepares a change that deletes the next tombstones from etcd; `nil` if none are left, or while etcd has not yet
    /// acknowledged an earlier change, for example.
    func prepareCollection(of names: inout [Bytes32]) throws(SyncError) -> InFlightChange? {
        let state = try state()
        guard state.inFlight == nil, let keys = state.currentKeys else { return nil }
        var (rest, collected) = (names, [RecordState]())
        try read { session throws(StatusError) in
            while collected.count < Self.largestBatch, let name = rest.popLast() {
                guard let known = state.records[name], known.isDeletable,
                    try !Self.isChanged(known, in: session)
                else { continue }
                collected.append(known)
            }
        }
        names = rest
        return collected.isEmpty ? nil : try seal([], collecting: collected, keys)
    }

    /// Returns the revision up to which all other active devices have received changes; `.max` if there are none.
    private func seenRevision(_ state: LocalState, _ manifest: Manifest) -> UInt64 {
        otherActiveDevices(state, manifest)
            .map { state.heads[$0]?.content.revision ?? 0 }.min() ?? .max
    }

    /// Returns the other devices that may write, and that were active in the last 90 days.
    ///
    /// A device is active when it writes a ``Head``; without one, its joining or the rebuild of the circle counts.
    private func otherActiveDevices(_ state: LocalState, _ manifest: Manifest) -> [Bytes16] {
        let now = clock()
        return manifest.members.filter { member in
            guard member.role.writes, member.identifier != state.identifier else { return false }
            let joined = state.manifests.first {
                $0.generation == manifest.generation && $0.member(member.identifier) != nil
            }
            let time = state.heads[member.identifier]?.content.time ?? joined?.time ?? now
            return time > now || now - time <= Self.activeDuration
        }.map(\.identifier)
    }

    /// Returns whether this device may delete the records from before the circle was rebuilt.
    ///
    /// It may if it is an admin, and if every active device has written a ``Head`` since the rebuild.
    func mayDeleteFormerGenerations() throws(SyncError) -> Bool {
        let state = try state()
        guard let manifest = state.manifest, manifest.generation > 1, state.member?.role == .admin,
            state.heads[state.identifier] != nil
        else { return false }
        return otherActiveDevices(state, manifest).allSatisfy { state.heads[$0] != nil }
    }

    /// Returns whether the row of a deleted item was changed since its tombstone was synchronized.
    private static func isChanged(
        _ known: RecordState,
        in session: SynchronizationSession
    ) throws(StatusError) -> Bool {
        guard let row = try session.row(of: known.identity) else { return known.version > 0 }
        return !row.isTombstone || row.version != known.version || row.item != known.item
    }

    /// Removes an item whose record etcd no longer has, because the item's tombstone was deleted from etcd.
    ///
    /// An item that this device has changed is pushed again. An unchanged item is kept as a conflict, unless its row is
    /// damaged. A locked item stays until its protection class is unlocked.
    func removeItem(
        named name: Bytes32,
        _ state: inout LocalState,
        in session: SynchronizationSession
    ) throws(StatusError) {
        guard var known = state.records[name] else { return }
        let row = try session.row(of: known.identity)
        if let row, !row.isTombstone {
            guard known.matches(row), !known.needsPush, session.isUnlocked(row.protection) else {
                known.digest = .zero
                known.revision = 0
                known.pending = []
                state.set(known)
                return try state.saveRecord(name, in: session)
            }
            if let item = try session.openUnlessDamaged(row) {
                try keepConflict(item, of: known.device, at: known.clock, in: session)
            }
            try session.removeRow(of: known.identity)
        }
        try recordCollection(of: known, &state, in: session)
    }

    /// Removes deleted items that were locked when their deletion was received, and are unlocked now.
    func removeUnlockedItems() throws(SyncError) {
        let waiting = try state().records.values.filter(\.isDeletedElsewhere)
        guard !waiting.isEmpty else { return }
        // Write nothing while the rows stay locked: the agent would mistake its own write for a local change.
        let ready = try read { session throws(StatusError) in
            var ready: [RecordState] = []
            for known in waiting {
                guard let row = try session.row(of: known.identity), known.matches(row),
                    session.isUnlocked(row.protection)
                else { continue }
                ready.append(known)
            }
            return ready
        }
        guard !ready.isEmpty else { return }
        try change { session, state throws(StatusError) in
            for known in ready { try removeItem(named: known.name, &state, in: session) }
        }
    }

    /// Records that a tombstone was deleted from etcd, and deletes its row.
    ///
    /// The name and clock stay for a year, so that no older version restores the item in a new generation of the
    /// circle.
    func recordCollection(
        of known: RecordState,
        _ state: inout LocalState,
        in session: SynchronizationSession
    ) throws(StatusError) {
        if let row = try session.row(of: known.identity), row.isTombstone {
            try session.removeRow(of: known.identity)
        }
        var collected = known
        (collected.digest, collected.revision) = (.zero, 0)
        (collected.item, collected.version) = (.zero, 0)
        collected.kind = .tombstone
        collected.needsPush = false
        collected.isCollected = true
        collected.pending = []
        state.set(collected)
        try state.saveRecord(collected.name, in: session)
    }

    /// Discards the state of tombstones that were deleted from etcd and are older than a year.
    func discardOldTombstones() throws(SyncError) {
        let now = clock()
        let old = try state().records.values.filter {
            $0.isCollected && $0.clock.milliseconds + 365 * 86_400_000 < now
        }
        guard !old.isEmpty else { return }
        try change { session, state throws(StatusError) in
            for known in old { try discardState(of: known, &state, in: session) }
        }
    }

    func discardState(
        of known: RecordState,
        _ state: inout LocalState,
        in session: SynchronizationSession
    ) throws(StatusError) {
        if let page = state.pages[known.name] { try session.deletePage(page) }
        state.remove(known)
    }
}

extension RecordState {
    /// Whether this is a tombstone in etcd that this device has applied or written, and need not push again.
    fileprivate var isDeletable: Bool {
        kind == .tombstone && digest != .zero && base == digest && !needsPush
    }
}

extension LocalState {
    fileprivate mutating func remove(_ known: RecordState) {
        records[known.name] = nil
        pages[known.name] = nil
        if names[known.identity] == known.name { names[known.identity] = nil }
    }
}
