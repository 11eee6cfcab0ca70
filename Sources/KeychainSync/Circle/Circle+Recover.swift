// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore

extension Circle {
    /// Makes this device an admin of the circle that has issued a recovery code.
    ///
    /// A device that belongs to no circle joins this circle, and stores `configuration`.
    package func recover(
        with code: RecoveryCode,
        named name: String,
        _ configuration: EtcdConfiguration
    ) async throws(SyncError) {
        let known = store.isConfigured ? try store.state() : nil
        let device = known?.device ?? .random()
        let (circle, manifests) = try await manifests(known, code)
        guard let manifest = manifests.last, let keys = manifest.keys(of: code.device),
            manifest.member(code.device.identifier)?.role == .recovery
        else { throw .recoveryCodeUnknown }
        guard manifest.removal(of: device.identifier) == nil else { throw .removed }
        var draft = draft(after: manifest, keys)
        if let index = draft.members.firstIndex(where: { $0.keys.identifier == device.identifier }) {
            draft.members[index].role = .admin
        } else {
            draft.members.append((device.publicKeys, .admin, name))
        }
        let next = Manifest(draft, keys: keys, previousKey: manifest.previousKey, by: code.device)
        guard let next else { throw .manifestInvalid }
        var state = LocalState(device: device, name: name, circle: circle)
        state.manifests = manifests + [next]
        state.keys = Self.allKeys(state.manifests, keys)
        var transaction = EtcdTransaction()
        let key = state.paths.manifest(next.version)
        transaction.comparisons = [(key, 0)]
        // Delete an earlier request of this device to leave: an admin would remove the device again.
        let request = state.paths.leaveRequest(device.identifier.hexadecimal)
        transaction.changes = [(key, next.encoded), (request, nil), (state.paths.newest, [])]
        guard try await commit(transaction) else { throw .manifestConflict }
        // If this device was a member before, it receives the new manifest with the next changes from etcd.
        if known == nil { try store.install(state, configuration) }
    }

    /// Returns the circle that has issued a recovery code, and all of its manifests.
    ///
    /// A member verifies only the manifests that it does not know yet. A device that belongs to no circle decrypts the
    /// code's entry in etcd (the anchor), which contains the circle and the digest of its first manifest.
    private func manifests(
        _ known: LocalState?,
        _ code: RecoveryCode
    ) async throws(SyncError) -> (circle: Bytes16, manifests: [Manifest]) {
        if let known { return (known.circle, try await currentManifests(known)) }
        guard let box = try await entry(CirclePaths.recovery(code.identifier.hexadecimal))?.value,
            let anchor = code.anchor(opening: box)
        else { throw .recoveryCodeUnknown }
        return (anchor.circle, try await manifests(anchor))
    }

    /// Returns all manifests of a circle, after verifying them from the first one, whose digest is in the code's entry.
    private func manifests(
        _ anchor: (circle: Bytes16, first: Bytes32)
    ) async throws(SyncError) -> [Manifest] {
        let paths = CirclePaths(circle: anchor.circle.hexadecimal, generation: 1)
        let manifests = try await allManifests(paths)
        if let first = manifests.first, first.digest != anchor.first { throw .manifestInvalid }
        return manifests
    }
}
