// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore

// Deletes tombstones that every active device has received.
extension SyncStore {
    /// After this time without a head, in milliseconds, tombstones no longer wait for a device: 90 days.
    private static let activeDuration: UInt64 = 90 * 86_400_000

    /// Seals a head that deletes tombstones from etcd; `nil` if none can be deleted.
    ///
    /// A device deletes the tombstones that it wrote, an admin also those of removed devices.
    func prepareCollection() throws(SyncError) -> InFlightChange? {
        let state = try state()
        guard state.inFlight == nil, let member = state.member, member.role.writes,
            let keys = state.currentKeys, let manifest = state.manifest
        else { return nil }
        let (own, seen) = (state.identifier, seenRevision(state, manifest))
        let old = state.records.values.filter { known in
            known.kind == .tombstone && known.digest != .zero && known.base == known.digest
                && !known.needsPush && known.revision <= seen
                && (known.device == own
                    || member.role == .admin && manifest.removal(of: known.device) != nil)
        }
        guard !old.isEmpty else { return nil }
        let collected = try read { session throws(StatusError) in
            var collected: [RecordState] = []
            for known in old where collected.count < Self.largestBatch {
                if try !Self.isChanged(known, in: session) { collected.append(known) }
            }
            return collected
        }
        guard !collected.isEmpty else { return nil }
        return try seal([], collecting: collected, keys)
    }

    /// Returns the revision up to which all active devices have received changes.
    private func seenRevision(_ state: LocalState, _ manifest: Manifest) -> UInt64 {
        let (own, now) = (state.identifier, clock())
        var seen = UInt64.max
        for member in manifest.members where member.role.writes && member.identifier != own {
            let head = state.heads[member.identifier]?.content
            let joined = state.manifests.first { $0.member(member.identifier) != nil }?.time
            let time = head?.time ?? joined ?? now
            guard time > now || now - time <= Self.activeDuration else { continue }
            seen = min(seen, head?.revision ?? 0)
        }
        return seen
    }

    /// Returns whether a deleted item was added again on this device.
    private static func isChanged(
        _ known: RecordState,
        in session: SynchronizationSession
    ) throws(StatusError) -> Bool {
        guard let row = try session.row(of: known.identity) else { return known.version > 0 }
        return !row.isTombstone || row.version != known.version || row.item != known.item
    }

    /// Forgets a tombstone that was deleted from etcd, and deletes the row that it has left.
    func forget(
        _ known: RecordState,
        _ state: inout LocalState,
        in session: SynchronizationSession
    ) throws(StatusError) {
        if let row = try session.row(of: known.identity), row.isTombstone {
            try session.removeRow(of: known.identity)
        }
        if let page = state.pages[known.name] { try session.deletePage(page) }
        state.remove(known)
    }
}

extension LocalState {
    fileprivate mutating func remove(_ known: RecordState) {
        records[known.name] = nil
        pages[known.name] = nil
        if names[known.identity] == known.name { names[known.identity] = nil }
    }
}
