// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore

extension Circle {
    /// Leaves the circle; the items stay.
    ///
    /// A device that is an admin removes itself from the circle; any other device asks the admins to remove it. The
    /// last device changes nothing in etcd. With `force`, the device leaves even if the removal or the request fails,
    /// or if its state is unreadable; the circle may then still list the device.
    ///
    /// - Throws: `lastAdmin` if other devices would have no admin.
    package func leave(force: Bool = false) async throws(SyncError) {
        do throws(SyncError) {
            try await announceDeparture(store.state())
        } catch {
            guard force, error != .notConfigured else { throw error }
        }
        try store.uninstall()
    }

    private func announceDeparture(_ state: LocalState) async throws(SyncError) {
        guard let manifest = try await currentManifests(state).last,
            let own = manifest.member(state.identifier),
            manifest.members.contains(where: { $0.role != .recovery && $0.identifier != own.identifier })
        else { return }
        guard own.role != .admin else { return try await remove(own.identifier) }
        let request = LeaveRequest(of: state.device, in: manifest)
        var transaction = EtcdTransaction()
        let key = state.paths.leaveRequest(own.identifier.hexadecimal)
        transaction.changes = [(key, request.encoded), (state.paths.newest, [])]
        guard try await commit(transaction) else { throw .manifestConflict }
    }

    /// Removes the devices that have asked for it, if this device is an admin; returns whether it removed any.
    package func removeLeavingDevices() async throws(SyncError) -> Bool {
        let state = try store.state()
        guard state.member?.role == .admin else { return false }
        let requests = try await entries(prefix: state.paths.leaveRequests)
        guard !requests.isEmpty else { return false }
        let manifests = try await currentManifests(state)
        var hasRemoved = false
        for entry in requests {
            guard let request = entry.value.flatMap({ LeaveRequest(decoding: $0) }),
                entry.key == state.paths.leaveRequest(request.device.hexadecimal),
                request.device != state.identifier, request.isValid(in: manifests)
            else { continue }
            do throws(SyncError) {
                try await remove(request.device)
                hasRemoved = true
            } catch {
                // Another admin has changed the circle at the same time; the next synchronization tries again.
                guard [.manifestConflict, .deviceUnknown, .lastAdmin, .notAdmin].contains(error) else {
                    throw error
                }
            }
        }
        return hasRemoved
    }
}
