// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore

/// An invitation with its code, as the inviting process keeps it in memory until a device joins.
package struct OpenInvitation: Sendable {
    package let code: InvitationCode
    package let offer: InvitationOffer
}

extension Circle {
    /// Puts an invitation into etcd, which deletes it after `seconds`, and returns it with its code.
    package func invite(
        as role: MemberRole,
        seconds: UInt64 = invitationDuration
    ) async throws(SyncError) -> OpenInvitation {
        let state = try store.state()
        guard let manifest = try await currentManifests(state).last else { throw .manifestInvalid }
        guard manifest.member(state.identifier)?.role == .admin else { throw .notAdmin }
        let code = InvitationCode.random()
        // After a rebuild, which starts a new generation of the circle, a device has no `Head` (its signed summary)
        // until it sends its items again.
        let hasHeads = manifest.generation == state.manifest?.generation
        let offer = InvitationOffer(
            circle: state.circle,
            generation: manifest.generation,
            version: manifest.version,
            manifest: manifest.digest,
            role: role,
            expiry: clock() + seconds * 1_000,
            inviter: state.identifier,
            sequences: hasHeads ? state.heads.mapValues { $0.head.sequence } : [:]
        )
        var transaction = EtcdTransaction()
        let key = CirclePaths.invitation(code.identifier.hexadecimal)
        transaction.comparisons = [(key, 0)]
        transaction.changes = [(key, offer.sealed(with: code))]
        guard try await commit(transaction, lease: try await lease(seconds)) else { throw .invitationUnknown }
        return OpenInvitation(code: code, offer: offer)
    }

    private func lease(_ seconds: UInt64 = invitationDuration) async throws(SyncError) -> String {
        do throws(EtcdError) {
            return try await client.lease(seconds: Int(seconds))
        } catch {
            throw .etcd(error)
        }
    }

    /// Returns the request of the device that uses an invitation; `nil` if no device has used it, or if the server does
    /// not answer now.
    ///
    /// - Throws: `invitationUnknown` if the invitation has expired by this device's clock, or if the request was not
    ///   made with its code.
    package func request(for invitation: OpenInvitation) async throws(SyncError) -> JoinRequest? {
        guard clock() < invitation.offer.expiry else { throw .invitationUnknown }
        let key = CirclePaths.request(invitation.code.identifier.hexadecimal)
        let value: [UInt8]?
        do throws(SyncError) {
            value = try await entry(key)?.value
        } catch {
            guard case .etcd(let failure) = error, failure.isTransient else { throw error }
            return nil
        }
        guard let value else { return nil }
        let request = JoinRequest(
            opening: value,
            with: invitation.code,
            manifest: invitation.offer.manifest
        )
        // A request that the code cannot decrypt was forged by the server or by another user of the server. A request
        // with an invalid signature was forged by someone who has the code.
        guard let request else { throw .invitationUnknown }
        return request
    }

    /// Adds the device of a request to the circle, and deletes the invitation.
    ///
    /// Does nothing if the device is a member already.
    ///
    /// - Throws: `invitationUnknown` if the invitation has expired, or if its request is no longer in etcd;
    ///   `manifestConflict` if another admin has changed the circle at the same time.
    package func accept(_ request: JoinRequest, of invitation: OpenInvitation) async throws(SyncError) {
        try await accept([(request, invitation)])
    }

    /// Adds the devices of requests to the circle in one manifest, and deletes their invitations.
    package func accept(
        _ requests: [(request: JoinRequest, invitation: OpenInvitation)]
    ) async throws(SyncError) {
        let now = clock()
        guard requests.allSatisfy({ now < $0.invitation.offer.expiry }) else { throw .invitationUnknown }
        let state = try store.state()
        guard let manifest = try await currentManifests(state).last,
            let keys = manifest.keys(of: state.device)
        else { throw .manifestInvalid }
        let new = requests.filter { manifest.member($0.request.keys.identifier) == nil }
        guard !new.isEmpty else { return }
        var draft = draft(after: manifest, keys)
        draft.members += new.map { ($0.request.keys, $0.invitation.offer.role, $0.request.name) }
        guard
            let next = Manifest(draft, keys: keys, previousKey: manifest.previousKey, by: state.device)
        else { throw .manifestInvalid }
        var transaction = EtcdTransaction()
        let key = state.paths.manifest(next.version)
        transaction.comparisons = [(key, 0)]
        transaction.changes = [(key, next.encoded), (state.paths.newest, [])]
        for (_, invitation) in new {
            let identifier = invitation.code.identifier.hexadecimal
            let requestKey = CirclePaths.request(identifier)
            guard let present = try await entry(requestKey) else { throw .invitationUnknown }
            transaction.comparisons.append((requestKey, present.revision))
            transaction.changes += [(CirclePaths.invitation(identifier), nil), (requestKey, nil)]
        }
        guard try await commit(transaction) else { throw .manifestConflict }
    }

    /// Deletes an invitation and the request of the device that has used it.
    package func refuse(_ invitation: OpenInvitation) async throws(SyncError) {
        let identifier = invitation.code.identifier.hexadecimal
        var transaction = EtcdTransaction()
        transaction.changes = [
            (CirclePaths.invitation(identifier), nil), (CirclePaths.request(identifier), nil),
        ]
        _ = try await commit(transaction)
    }

    /// Joins the circle that has issued a code; returns when the inviting device has confirmed.
    ///
    /// `wait` is called between attempts, and returns whether to continue.
    package func join(
        _ code: InvitationCode,
        named name: String,
        _ configuration: EtcdConfiguration,
        wait: @Sendable () async -> Bool
    ) async throws(SyncError) {
        guard !store.isConfigured else { throw .alreadyConfigured }
        let identifier = code.identifier.hexadecimal
        guard let invitation = try await entry(CirclePaths.invitation(identifier)),
            let offer = invitation.value.flatMap({ InvitationOffer(opening: $0, with: code) })
        else { throw .invitationUnknown }
        let state = LocalState(device: .random(), name: name, circle: offer.circle)
        let request = JoinRequest(state.device, name: name, manifest: offer.manifest, code: code)
        let key = CirclePaths.request(identifier)
        let reason = try await send(request.sealed(with: code), as: key, for: invitation)
        repeat {
            do throws(SyncError) {
                // Wait while the request is in etcd. Accepting deletes it and adds this device to the circle; refusing
                // only deletes it.
                if reason != .invitationUnknown, try await entry(key) != nil { continue }
                guard let joined = try await joined(offer, state) else { throw reason }
                return try store.install(joined, configuration)
            } catch {
                // If this call fails, the new keys of this device are lost. An unreachable server is therefore asked
                // again.
                guard case .etcd(let failure) = error, failure.isTransient else { throw error }
            }
        } while await wait()
        throw .joinTimedOut
    }

    /// Stores the request of this device in etcd.
    ///
    /// - Returns: The error that ``join(_:named:_:wait:)`` throws if the circle does not contain this device later.
    private func send(
        _ request: [UInt8],
        as key: String,
        for invitation: EtcdEntry
    ) async throws(SyncError) -> SyncError {
        var transaction = EtcdTransaction()
        transaction.comparisons = [(key, 0), (invitation.key, invitation.revision)]
        transaction.changes = [(key, request)]
        do throws(SyncError) {
            if try await commit(transaction, lease: try await lease()) { return .invitationRefused }
            // Another device may have used the invitation. Or the answer to this device's request was lost, and the
            // inviting device has accepted the request before it was sent again.
            return .invitationUnknown
        } catch {
            // The answer of etcd is missing: the inviting device may have received the request, and may accept it.
            guard error == .resultUnknown else { throw error }
            return .resultUnknown
        }
    }

    /// Returns the state of this device with the circle's manifests and keys; `nil` if the circle lacks this device.
    private func joined(_ offer: InvitationOffer, _ state: LocalState) async throws(SyncError) -> LocalState?
    {
        guard let manifests = try await manifests(offer, state),
            let keys = manifests.last?.keys(of: state.device)
        else { return nil }
        var state = state
        state.manifests = manifests
        state.keys = Self.allKeys(manifests, keys)
        try await checkHeads(offer, state)
        return state
    }

    /// Returns all manifests of the circle, verified; `nil` if the newest one does not contain this device.
    private func manifests(
        _ offer: InvitationOffer,
        _ state: LocalState
    ) async throws(SyncError) -> [Manifest]? {
        let paths = CirclePaths(circle: offer.circle.hexadecimal, generation: offer.generation)
        let manifests = try await allManifests(paths)
        guard manifests.contains(where: { $0.version == offer.version && $0.digest == offer.manifest }),
            manifests.allSatisfy({ $0.circle == offer.circle })
        else { throw .manifestInvalid }
        guard let member = manifests.last?.member(state.identifier) else { return nil }
        guard member.role == offer.role else { throw .manifestInvalid }
        return manifests
    }

    /// Returns the circle's keys of every key epoch, by the number of the epoch.
    ///
    /// `keys` are those of the newest epoch. They decrypt the keys of the epoch before it, and so on.
    static func allKeys(_ manifests: [Manifest], _ keys: EpochKeys) -> [UInt32: EpochKeys] {
        var all = [keys.epoch: keys]
        var oldest = keys
        for manifest in manifests.reversed() where manifest.epoch == oldest.epoch && manifest.epoch > 1 {
            guard let former = manifest.formerKeys(under: oldest, index: keys.index) else { continue }
            all[former.epoch] = former
            oldest = former
        }
        return all
    }

    /// Checks that no member's ``Head`` in etcd is older than it was when the invitation was made.
    ///
    /// - Throws: `rolledBack` if a head is older or missing.
    private func checkHeads(_ offer: InvitationOffer, _ state: LocalState) async throws(SyncError) {
        var sequences: [Bytes16: UInt64] = [:]
        for entry in try await entries(prefix: state.paths.heads) {
            if let head = entry.value.flatMap({ Head(decoding: $0) }) {
                sequences[head.device] = head.sequence
            }
        }
        // After a rebuild, which starts a new generation of the circle, a device has no `Head` until it sends its
        // items again: the numbers in the invitation then say nothing.
        guard state.manifest?.generation == offer.generation else { return }
        for (device, sequence) in offer.sequences where state.manifest?.member(device) != nil {
            guard sequences[device] ?? 0 >= sequence else { throw .rolledBack }
        }
    }
}
