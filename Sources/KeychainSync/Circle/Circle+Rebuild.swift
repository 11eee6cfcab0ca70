// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore

extension Circle {
    /// Starts a new generation of the circle, in which all items are sent again under new names.
    ///
    /// This repairs a circle whose cluster was lost or restored from a backup, or whose records do not match the
    /// sums in the devices' ``Head`` values. A removed device does not know the new names of the records. If another
    /// admin has started a generation that this device has not received yet, the call starts none, and returns the
    /// number of that one.
    ///
    /// A call that fails or is killed can be repeated. The call changes only etcd, not the state of this device: the
    /// agent of each device, including this device, starts the generation when it receives the new manifest.
    ///
    /// - Returns: The number of the new generation.
    package func rebuild() async throws(SyncError) -> UInt32 {
        let state = try store.state()
        let manifests = try await currentManifests(state)
        guard let manifest = manifests.last, let known = state.manifest else { throw .manifestInvalid }
        guard manifest.member(state.identifier)?.role == .admin else { throw .notAdmin }
        guard manifest.generation == known.generation else { return manifest.generation }
        guard let former = manifest.keys(of: state.device) else { throw .manifestInvalid }
        let keys = EpochKeys(epoch: manifest.epoch + 1, key: .random(), index: .random())
        var draft = draft(after: manifest, former)
        draft.generation += 1
        draft.removed = draft.removed.map(\.withoutSum)
        let previousKey = Manifest.previousKey(former, under: keys, in: state.circle)
        guard let next = Manifest(draft, keys: keys, previousKey: previousKey, by: state.device) else {
            throw .manifestInvalid
        }
        try await putMissing(manifests, state)
        var transaction = EtcdTransaction()
        transaction.comparisons = [(state.paths.manifest(next.version), 0)]
        transaction.changes = [(state.paths.manifest(next.version), next.encoded), (state.paths.newest, [])]
        if try await commit(transaction) { return next.generation }
        // Another admin has changed the manifest first.
        guard let newest = try await currentManifests(state).last, newest.generation > known.generation else {
            throw .manifestConflict
        }
        return newest.generation
    }

    /// Writes the manifests that a lost or restored cluster lacks.
    private func putMissing(_ manifests: [Manifest], _ state: LocalState) async throws(SyncError) {
        let present = Set(try await entries(prefix: state.paths.manifests).map(\.key))
        for manifest in manifests {
            let key = state.paths.manifest(manifest.version)
            guard !present.contains(key) else { continue }
            var transaction = EtcdTransaction()
            transaction.comparisons = [(key, 0)]
            transaction.changes = [(key, manifest.encoded), (state.paths.newest, [])]
            _ = try await commit(transaction)
        }
    }
}

extension RemovedDevice {
    /// A copy for a new generation of the circle, with a zero sum, because the device has no records in it.
    fileprivate var withoutSum: Self {
        Self(device: device, sign: sign, sequence: sequence, headDigest: headDigest, sum: .zero)
    }
}
