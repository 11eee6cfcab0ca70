// SPDX-License-Identifier: Apache-2.0

package import KeychainModel
package import KeychainStore

/// Creates, joins and changes the circle of a store: the devices that synchronize one keychain.
package struct Circle: Sendable {
    private let keychain: EmbeddedKeychain
    let client: EtcdClient
    let clock: @Sendable () -> UInt64

    package init(
        _ keychain: EmbeddedKeychain,
        over client: EtcdClient,
        clock: @escaping @Sendable () -> UInt64 = SystemTime.milliseconds
    ) {
        self.keychain = keychain
        self.client = client
        self.clock = clock
    }

    /// Created at each use without cached state, because a running agent changes the state in the store.
    var store: SyncStore { SyncStore(keychain, clock: clock) }

    /// How long an invitation is valid, in seconds.
    package static let invitationDuration: UInt64 = 600

    /// Creates a circle whose only device is this one; a recovery code becomes its second member.
    package func create(
        named name: String,
        _ configuration: EtcdConfiguration,
        recovery code: RecoveryCode? = nil
    ) async throws(SyncError) {
        guard !store.isConfigured else { throw .alreadyConfigured }
        let device = DeviceKeys.random()
        let circle = Bytes16.random()
        let keys = EpochKeys(epoch: 1, key: .random(), index: .random())
        let draft = Manifest.Draft(
            circle: circle,
            time: clock(),
            members: [(device.publicKeys, .admin, name)]
        )
        let previousKey = Manifest.previousKey(nil, under: keys, in: circle)
        guard let manifest = Manifest(draft, keys: keys, previousKey: previousKey, by: device) else {
            throw .manifestInvalid
        }
        var state = LocalState(device: device, name: name, circle: circle)
        state.manifests = [manifest]
        state.keys = [1: keys]
        var transaction = EtcdTransaction()
        transaction.comparisons.append((state.paths.manifest(1), 0))
        transaction.changes = [(state.paths.manifest(1), manifest.encoded), (state.paths.newest, [])]
        if let code {
            var draft = self.draft(after: manifest, keys)
            draft.members.append((code.device.publicKeys, .recovery, RecoveryCode.memberName))
            guard let second = Manifest(draft, keys: keys, previousKey: previousKey, by: device) else {
                throw .manifestInvalid
            }
            state.manifests.append(second)
            transaction.changes += [
                (state.paths.manifest(2), second.encoded),
                (CirclePaths.recovery(code.identifier.hexadecimal), code.sealedAnchor(of: manifest)),
            ]
        }
        try await commitFirst(transaction)
        try store.install(state, configuration)
    }

    /// Stores a new circle in etcd.
    ///
    /// - Throws: `etcd` with the reason if the server does not answer, or is no etcd server.
    private func commitFirst(_ transaction: EtcdTransaction) async throws(SyncError) {
        do throws(SyncError) {
            guard try await commit(transaction) else { throw .manifestConflict }
        } catch {
            // Without an answer, etcd may contain the new circle. No device has the keys of that circle, so it does no
            // harm: the caller can create another one.
            guard error == .resultUnknown else { throw error }
            // If the endpoint is no etcd, this read fails with an error that says so.
            _ = try await entry(CirclePaths.recovery(""))
            throw .etcd(.unreachable)
        }
    }

    /// How often a transaction is sent while it fails with transient errors, such as a missing answer.
    private static let attempts = 3

    /// Runs a transaction, and returns whether etcd has applied it.
    ///
    /// If the answer to an applied attempt is lost, the comparisons of the next attempt fail, as they do after a change
    /// of another device. The first change therefore writes bytes that no other call writes; if etcd contains them, the
    /// lost attempt was applied.
    ///
    /// - Throws: `etcd` at once if the first error is not transient, or says that etcd refuses the transaction each
    ///   time; `resultUnknown` if the first error is another one, and all later attempts fail.
    func commit(_ transaction: EtcdTransaction, lease: String? = nil) async throws(SyncError) -> Bool {
        var isUnknown = false
        for _ in 0..<Self.attempts {
            do throws(EtcdError) {
                if try await client.commit(transaction, lease: lease) != nil { return true }
                guard let change = transaction.changes.first, let value = change.value else { return false }
                return try await client.entry(change.key).entries.first?.value == value
            } catch {
                guard error.isTransient && !error.isFinal || isUnknown else { throw .etcd(error) }
                isUnknown = true
            }
        }
        throw .resultUnknown
    }

    func entries(prefix: String) async throws(SyncError) -> [EtcdEntry] {
        do throws(EtcdError) {
            return try await client.range(prefix: prefix).entries
        } catch {
            throw .etcd(error)
        }
    }

    func entry(_ key: String) async throws(SyncError) -> EtcdEntry? {
        do throws(EtcdError) {
            return try await client.entry(key).entries.first
        } catch {
            throw .etcd(error)
        }
    }

    /// Reads all manifests of a circle, the versions of its device list, and verifies them from the first one.
    func allManifests(_ paths: CirclePaths) async throws(SyncError) -> [Manifest] {
        var manifests: [Manifest] = []
        for entry in try await entries(prefix: paths.manifests).sorted(by: { $0.key < $1.key }) {
            let manifest = try Manifest(entry)
            guard manifests.last.map({ manifest.isValid(after: $0) }) ?? manifest.isValidFirst else {
                throw .manifestInvalid
            }
            manifests.append(manifest)
        }
        return manifests
    }

    /// Returns all manifests of the circle, after verifying those that this device has not seen yet.
    func currentManifests(_ state: LocalState) async throws(SyncError) -> [Manifest] {
        var manifests = state.manifests
        let first = state.paths.manifest((manifests.last?.version ?? 0) + 1)
        let range: EtcdRange
        do throws(EtcdError) {
            range = try await client.range(prefix: state.paths.manifests, from: first)
        } catch {
            throw .etcd(error)
        }
        for entry in range.entries.sorted(by: { $0.key < $1.key }) {
            let manifest = try Manifest(entry)
            guard let last = manifests.last, manifest.isValid(after: last) else { throw .manifestInvalid }
            manifests.append(manifest)
        }
        return manifests
    }
}

extension Manifest {
    /// Decodes the manifest that an entry of etcd contains, without verifying it.
    ///
    /// - Throws: `updateNeeded` if its format is unknown; `manifestInvalid` if it is malformed or missing.
    init(_ entry: EtcdEntry) throws(SyncError) {
        guard let value = entry.value else { throw .manifestInvalid }
        guard let manifest = Self(decoding: value) else {
            throw .undecodable(value, Self.magic, .manifestInvalid)
        }
        self = manifest
    }
}

/// A member of a circle, as `security sync devices` lists it.
package struct CircleDevice: Hashable, Sendable {
    package let identifier: Bytes16
    package let name: String
    package let role: MemberRole
    package let isThisDevice: Bool
    /// The time of the device's newest known ``Head``, in milliseconds since 1970; `nil` if none is known.
    package let lastActivity: UInt64?
    package let sequence: UInt64
}

extension Circle {
    package func devices() throws(SyncError) -> [CircleDevice] {
        let state = try store.state()
        guard let manifest = state.manifest, let keys = state.currentKeys else { throw .removed }
        return manifest.members.map { member in
            let head = state.heads[member.identifier]
            return CircleDevice(
                identifier: member.identifier,
                name: manifest.name(of: member, under: keys) ?? "",
                role: member.role,
                isThisDevice: member.identifier == state.identifier,
                lastActivity: head?.content.time,
                sequence: head?.head.sequence ?? 0
            )
        }
    }

    /// Removes a device; it can read nothing that is written afterwards.
    ///
    /// - Throws: `lastAdmin` if no other device is an admin. A recovery code does not count, because it is not a device.
    package func remove(_ device: Bytes16) async throws(SyncError) {
        let state = try store.state()
        var manifests = try await currentManifests(state)
        guard let manifest = manifests.popLast() else { throw .manifestInvalid }
        guard manifest.member(state.identifier)?.role == .admin else { throw .notAdmin }
        guard let member = manifest.member(device) else { throw .deviceUnknown }
        guard manifest.members.contains(where: { $0.role == .admin && $0.identifier != device }) else {
            throw .lastAdmin
        }
        guard let former = manifest.keys(of: state.device) else { throw .manifestInvalid }
        let keys = EpochKeys(epoch: manifest.epoch + 1, key: .random(), index: former.index)
        let paths = CirclePaths(circle: state.circle.hexadecimal, generation: manifest.generation)
        let headKey = paths.head(device.hexadecimal)
        let head = try await entry(headKey)
        var draft = draft(after: manifest, former)
        draft.members.removeAll { $0.keys.identifier == device }
        draft.removed.append(try removal(of: member, head, manifest, former, state))
        let previousKey = Manifest.previousKey(former, under: keys, in: state.circle)
        guard let next = Manifest(draft, keys: keys, previousKey: previousKey, by: state.device) else {
            throw .manifestInvalid
        }
        var transaction = EtcdTransaction()
        transaction.comparisons = [(paths.manifest(next.version), 0), (headKey, head?.revision ?? 0)]
        transaction.changes = [(paths.manifest(next.version), next.encoded), (paths.newest, [])]
        if head != nil { transaction.changes.append((headKey, nil)) }
        transaction.changes.append((paths.leaveRequest(device.hexadecimal), nil))
        guard try await commit(transaction) else { throw .manifestConflict }
    }

    /// Returns a removed device's entry in the manifest, made from the last ``Head`` that the device wrote.
    private func removal(
        of member: Member,
        _ entry: EtcdEntry?,
        _ manifest: Manifest,
        _ keys: EpochKeys,
        _ state: LocalState
    ) throws(SyncError) -> RemovedDevice {
        guard let value = entry?.value else {
            return RemovedDevice(
                device: member.identifier,
                sign: member.keys.sign,
                sequence: 0,
                headDigest: .zero,
                sum: .zero
            )
        }
        guard let head = Head(decoding: value) else { throw .undecodable(value, Head.magic, .inconsistent) }
        guard head.device == member.identifier, head.isSigned(by: member.keys.sign),
            let headKeys = head.epoch == keys.epoch ? keys : state.keys[head.epoch],
            let content = head.open(under: headKeys)
        else { throw .inconsistent }
        return RemovedDevice(
            device: member.identifier,
            sign: member.keys.sign,
            sequence: head.sequence,
            headDigest: head.digest,
            sum: content.sum
        )
    }

    /// Returns a draft of the next version of a manifest, with the same members.
    func draft(after manifest: Manifest, _ keys: EpochKeys) -> Manifest.Draft {
        var draft = Manifest.Draft(
            circle: manifest.circle,
            time: clock(),
            members: manifest.members.map { ($0.keys, $0.role, manifest.name(of: $0, under: keys) ?? "") }
        )
        draft.generation = manifest.generation
        draft.version = manifest.version + 1
        draft.previous = manifest.digest
        draft.removed = manifest.removed
        return draft
    }
}
