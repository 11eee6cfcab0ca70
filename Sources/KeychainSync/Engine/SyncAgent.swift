// SPDX-License-Identifier: Apache-2.0

import KeychainModel
package import KeychainStore

/// Synchronizes a store with its circle: pushes local changes, and applies those of other devices.
package actor SyncAgent {
    private let store: SyncStore
    private let client: EtcdClient
    /// Receives the events to log, which contain no names or secrets of items.
    private let log: @Sendable (SyncEvent) -> Void
    /// The circle's generation at which the records of all former generations were last deleted from etcd.
    private var cleanGeneration: UInt32 = 1

    package init(
        _ keychain: EmbeddedKeychain,
        over client: EtcdClient,
        clock: @escaping @Sendable () -> UInt64 = SystemTime.milliseconds,
        log: @escaping @Sendable (SyncEvent) -> Void = { _ in }
    ) {
        store = SyncStore(keychain, clock: clock)
        self.client = client
        self.log = log
    }

    /// Pulls the changes of the circle once, and pushes local changes until none are left.
    ///
    /// Also writes a new ``Head`` if the last one is older than a day, deletes obsolete data and, if this device is an
    /// admin, removes the devices that have asked to leave.
    package func synchronize() async throws(SyncError) {
        try await resolveInFlight()
        try await pull()
        try await removeLeavingDevices()
        try await pushAll()
        try await renewHead()
        try await collect()
    }

    package func revision() throws(SyncError) -> UInt64 { try store.state().cursor.revision }

    /// How often the agent has read all rows to find changed ones.
    package var scanCount: Int { store.scanCount }

    /// How often the agent has read all states of records to find tombstones to delete.
    package var tombstoneScanCount: Int { store.tombstoneScanCount }

    /// Discards the state in memory, because another process may have changed the state in the store.
    package func reload() { store.reload() }
}

extension SyncAgent {
    /// Applies all changes since the last applied revision of etcd.
    ///
    /// An admin can rebuild the circle (`security sync rebuild`). This starts a new *generation* of the circle, in which
    /// all items are sent again under new names. This function then also switches to that generation, and applies its
    /// changes.
    ///
    /// - Throws: For example, `removed` if the new generation does not include this device.
    package func pull() async throws(SyncError) {
        do throws(SyncError) {
            try await pullGeneration()
        } catch {
            guard try await startNewGeneration(after: error) else { throw error }
            try await pullGeneration()
        }
        try store.applyPending()
    }

    /// After an error, starts the circle's new generation, if an admin has created one by rebuilding the circle.
    ///
    /// - Returns: Whether a generation was started.
    private func startNewGeneration(after error: SyncError) async throws(SyncError) -> Bool {
        guard [.inconsistent, .rolledBack].contains(error) else { return false }
        let state = try store.state()
        let circle = Circle(store.keychain, over: client, clock: store.clock)
        let manifests: [Manifest]
        do throws(SyncError) {
            manifests = try await circle.currentManifests(state)
        } catch {
            guard error == .manifestInvalid else { throw error }
            return false
        }
        guard let newest = manifests.last, newest.generation != state.manifest?.generation else {
            return false
        }
        guard newest.member(state.identifier) != nil else { throw .removed }
        let former = try await circle.entries(prefix: state.paths.records)
        try store.startGeneration(manifests, former: former)
        log(SyncEvent(.newGeneration, count: Int(newest.generation)))
        return true
    }

    /// Applies all changes since the revision applied last; reads all keys again if the changes are inconsistent.
    private func pullGeneration() async throws(SyncError) {
        let state = try store.state()
        let isFirst = state.cursor.revision == 0
        let range = try await range(changedSince: state.cursor.revision)
        try checkServer(range, state)
        do throws(SyncError) {
            try store.apply(
                range.entries,
                revision: range.revision,
                cluster: range.cluster,
                isComplete: isFirst
            )
        } catch {
            guard error == .inconsistent, !isFirst, !store.announcesGeneration(range.entries) else {
                throw error
            }
            try await pullCompletely()
        }
    }

    /// Reads all keys of the circle at one revision, verifies that no record is missing, and applies the changes.
    func pullCompletely() async throws(SyncError) {
        log(SyncEvent(.fullResynchronization))
        do throws(SyncError) {
            try await readCompletely()
        } catch {
            guard error == .inconsistent else { throw error }
            // This member of the etcd cluster may return wrong data: read once more, from the next member.
            await client.skipMember()
            try await readCompletely()
        }
    }

    private func readCompletely() async throws(SyncError) {
        let range = try await range(changedSince: 0)
        try checkServer(range, store.state())
        try store.apply(range.entries, revision: range.revision, cluster: range.cluster, isComplete: true)
    }

    private func range(changedSince revision: UInt64) async throws(SyncError) -> EtcdRange {
        let prefix = try store.state().paths.prefix
        return try await calling { () async throws(EtcdError) in
            try await client.range(prefix: prefix, changedSince: revision)
        }
    }

    /// Throws `rolledBack` if the answer is from another cluster than before, or older than the revision applied last.
    private func checkServer(_ range: EtcdRange, _ state: LocalState) throws(SyncError) {
        guard state.cursor.cluster == 0 || state.cursor.cluster == range.cluster,
            range.revision >= state.cursor.revision
        else { throw .rolledBack }
    }

    package func receive(_ events: EtcdEvents) async throws(SyncError) {
        let (cluster, count) = (
            try store.state().cursor.cluster, try store.newRecordCount(in: events.entries)
        )
        // A message may contain several revisions: apply the newest value of each key.
        let newest = Dictionary(
            events.entries.map { ($0.key, $0) },
            uniquingKeysWith: { $0.revision > $1.revision ? $0 : $1 }
        )
        do throws(SyncError) {
            try store.apply(
                Array(newest.values),
                revision: events.revision,
                cluster: cluster,
                isStreaming: newest.count == events.entries.count
            )
            if count > 0 { log(SyncEvent(.received, count: count, revision: events.revision)) }
        } catch {
            guard error == .inconsistent else { throw error }
            try await pull()
        }
        let requests = try store.state().paths.leaveRequests
        if newest.values.contains(where: { $0.key.hasPrefix(requests) && $0.value != nil }) {
            try await removeLeavingDevices()
        }
    }

    private func removeLeavingDevices() async throws(SyncError) {
        guard try store.state().member?.role == .admin else { return }
        let circle = Circle(store.keychain, over: client, clock: store.clock)
        if try await circle.removeLeavingDevices() { try await pull() }
    }

    private func calling<Result: Sendable>(
        _ body: () async throws(EtcdError) -> Result
    ) async throws(SyncError) -> Result {
        do throws(EtcdError) {
            return try await body()
        } catch {
            throw .etcd(error)
        }
    }
}

extension SyncAgent {
    /// After this many failed pushes in a row, for example because of other devices' changes, `busy` is thrown.
    private static let attempts = 20

    func pushAll() async throws(SyncError) {
        var failures = 0
        var prepared = try store.prepareChange()
        while let change = prepared {
            if let revision = try await send(change) {
                failures = 0
                prepared = try store.prepareChange(after: change, appliedAt: revision)
            } else {
                failures += 1
                guard failures < Self.attempts else { throw .busy }
                try await pull()
                prepared = try store.prepareChange()
            }
        }
    }

    /// Deletes tombstones from etcd that every active device has received, and discards old local data.
    ///
    /// The local data are the states of tombstones that were deleted from etcd, and versions that lost a conflict.
    private func collectTombstones() async throws(SyncError) {
        var names = try store.findTombstones()
        while let change = try store.prepareCollection(of: &names) {
            guard try await push(change) else { return }
        }
        try store.discardOldTombstones()
        try store.discardOldConflicts()
    }

    /// Deletes obsolete data: tombstones, conflicts, and records of former generations of the circle.
    func collect() async throws(SyncError) {
        try await collectTombstones()
        guard let generation = try store.state().manifest?.generation, generation != cleanGeneration,
            try store.mayDeleteFormerGenerations()
        else { return }
        var transaction = EtcdTransaction()
        transaction.deletedRange = try store.state().paths.formerGenerations
        let deletion = transaction
        _ = try await calling { () async throws(EtcdError) in try await client.commit(deletion) }
        cleanGeneration = generation
    }

    /// Writes a new ``Head``, which shows other devices that this one is active.
    private func beat() async throws(SyncError) {
        if let change = try store.prepareHeartbeat() { _ = try await push(change) }
    }

    /// Sends a change, and acknowledges it; returns false if etcd has not applied it.
    private func push(_ change: InFlightChange) async throws(SyncError) -> Bool {
        guard let revision = try await send(change) else { return false }
        try store.acknowledge(change, at: revision)
        return true
    }

    /// Sends a change, and returns the revision at which etcd has applied it.
    ///
    /// Abandons the change and returns `nil` if etcd has not applied it, so that another change must be prepared:
    /// either another device has first changed the manifest or a key that the change writes, or etcd has refused the
    /// change, for example because it was too large.
    private func send(_ change: InFlightChange) async throws(SyncError) -> UInt64? {
        let transaction = try store.transaction(for: change)
        let start = ContinuousClock.now
        let revision: UInt64?
        do throws(EtcdError) {
            revision = try await client.commit(transaction)
        } catch {
            guard error.isFinal else { throw .etcd(error) }
            // Do not send these bytes again: etcd would refuse them each time.
            if let revision = try await resolve(change) { return revision }
            guard error != .outOfSpace, try store.reduceBatch(after: change) else { throw .etcd(error) }
            return nil
        }
        if let revision {
            var event = SyncEvent(.pushed, count: change.parts.count, revision: revision)
            event.milliseconds = UInt64((ContinuousClock.now - start) / .milliseconds(1))
            log(event)
            return revision
        }
        return try await resolve(change)
    }

    /// Finds out whether etcd has applied a change, although its comparison failed or its answer was lost.
    ///
    /// If etcd contains the change's ``Head``, returns its revision. Otherwise abandons the change and returns `nil`.
    private func resolve(_ change: InFlightChange) async throws(SyncError) -> UInt64? {
        let key = try store.state().paths.head(change.head.device.hexadecimal)
        let head = try await calling { () async throws(EtcdError) in try await client.entry(key) }
        if let entry = head.entries.first, entry.value == change.head.encoded { return entry.revision }
        try store.abandonChange()
        return nil
    }

    /// Sends the change in flight again, because a crash or a lost answer has left its result unknown.
    package func resolveInFlight() async throws(SyncError) {
        guard let change = try store.state().inFlight else { return }
        do throws(SyncError) {
            _ = try await push(change)
        } catch {
            // Ignore that the cluster is out of space: it can still be read.
            guard error == .etcd(.outOfSpace) else { throw error }
        }
    }
}

extension SyncAgent {
    func watchStart() throws(SyncError) -> (prefix: String, revision: UInt64) {
        let state = try store.state()
        return (state.paths.prefix, state.cursor.revision + 1)
    }

    /// Lets the next call of ``takeLocalChanges()`` check all rows, and all received records that wait for an unlock.
    func rescan() { store.rescan() }

    /// Applies received records that waited for an unlock, and pushes local changes.
    package func takeLocalChanges() async throws(SyncError) {
        try store.applyPending()
        try await pushAll()
    }

    /// Asks etcd for the revision of the circle's newest change, without a time limit.
    func newestRevision() async throws(SyncError) -> UInt64 {
        let key = try store.state().paths.newest
        return try await calling { () async throws(EtcdError) in try await client.revision(of: key) }
    }

    /// Writes a new ``Head`` of this device if its last one is older than a day.
    func renewHead() async throws(SyncError) {
        let state = try store.state()
        let (time, now, day) = (state.cursor.headTime, store.clock(), UInt64(86_400_000))
        // A time in the future comes from a clock that was wrong, so it shows nothing about the age of the head.
        guard state.member?.role.writes == true, now < time || now - time > day else { return }
        try await beat()
    }
}
