// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainModel
package import KeychainStore

/// The local side of synchronization: a store, and what is known about the records of its circle.
///
/// It does not use the network. Its owner calls it from one task at a time.
package final class SyncStore {
    let keychain: EmbeddedKeychain
    /// The state in memory; `nil` until it is loaded, and after a failed change.
    private var loaded: LocalState?
    /// The versions of the rows that cannot be pushed, by item identifier.
    ///
    /// For example, they are too large, are damaged, have an access control, or etcd has refused them.
    var localOnly: [Bytes16: UInt64] = [:]
    /// The local changes to push.
    var outbox = Outbox()
    /// The store's number of changes when it was last checked whether locked records can be applied now.
    ///
    /// If it is `nil` or not the current number, these records are checked again. A change by this object needs no new
    /// check, so such a change increments this value, too.
    var waitingGeneration: UInt64?
    /// The maximum number of records in the next transaction; lowered if etcd refuses a transaction, raised after it
    /// applies one.
    var batch = largestBatch
    /// How often all rows were read to find changed ones.
    var scanCount = 0
    /// How often all states of records were read to find tombstones to delete.
    var tombstoneScanCount = 0
    /// The maximum number of records in one transaction.
    ///
    /// etcd accepts 128 comparisons and 128 changes. Besides the records, a transaction compares two keys, those of
    /// the next manifest and of the device's ``Head``, and writes two, that head and ``CirclePaths/newest``.
    static let largestBatch = 126
    /// The system's time in milliseconds since 1970.
    let clock: @Sendable () -> UInt64

    package init(
        _ keychain: EmbeddedKeychain,
        clock: @escaping @Sendable () -> UInt64 = SystemTime.milliseconds
    ) {
        self.keychain = keychain
        self.clock = clock
    }

    func state() throws(SyncError) -> LocalState {
        if let loaded { return loaded }
        let state: LocalState?
        do throws(SyncError) {
            state = try read { session throws(StatusError) in try LocalState(from: session) }
        } catch {
            guard case .store(let failure) = error, failure.status == .undecodable else { throw error }
            throw .stateUnreadable
        }
        guard let state else { throw .notConfigured }
        loaded = state
        return state
    }

    func read<Result: Sendable>(
        _ body: (SynchronizationSession) throws(StatusError) -> Result
    ) throws(SyncError) -> Result {
        do throws(StatusError) {
            return try keychain.readSynchronization(body)
        } catch {
            throw error.reason == .classKeyAbsent ? .locked : .store(error)
        }
    }

    /// Changes the state of synchronization and rows in one transaction; after a failure the state is loaded again.
    ///
    /// - Throws: `notConfigured` if another process has left the circle since the state was loaded.
    func change<Result: Sendable>(
        _ body: (SynchronizationSession, inout LocalState) throws(StatusError) -> Result
    ) throws(SyncError) -> Result {
        try changeWithOutbox { session, state, _ throws(StatusError) in try body(session, &state) }
    }

    /// Does what ``change(_:)`` does, and lets the closure also use the outbox, which finds the rows to push.
    func changeWithOutbox<Result: Sendable>(
        _ body: (SynchronizationSession, inout LocalState, inout Outbox) throws(StatusError) -> Result
    ) throws(SyncError) -> Result {
        var changed = try state()
        var (outbox, waiting) = (outbox, waitingGeneration)
        reload()
        let done: (result: Result, generation: UInt64)?
        do throws(StatusError) {
            done = try keychain.synchronize { session throws(StatusError) -> (Result, UInt64)? in
                guard try changed.isInstalled(in: session) else { return nil }
                return (try body(session, &changed, &outbox), session.generation)
            }
        } catch {
            throw error.reason == .classKeyAbsent ? .locked : .store(error)
        }
        guard let done else { throw .notConfigured }
        outbox.add(changed.takeChangedRows(), changedAfter: done.generation)
        if waiting == done.generation { waiting = done.generation + 1 }
        (loaded, self.outbox, waitingGeneration) = (changed, outbox, waiting)
        return done.result
    }

    /// Discards the state in memory.
    package func reload() {
        loaded = nil
        rescan()
    }

    /// Lets the next push read all rows, and the next ``applyPending()`` check all records that wait for an unlock.
    func rescan() {
        outbox = Outbox()
        waitingGeneration = nil
    }

    package func configuration() throws(SyncError) -> EtcdConfiguration {
        let configuration = try read { session throws(StatusError) in try EtcdConfiguration(from: session) }
        guard let configuration else { throw .notConfigured }
        return configuration
    }

    /// Writes the state of a device that has created or joined a circle.
    func install(_ state: LocalState, _ configuration: EtcdConfiguration) throws(SyncError) {
        var state = state
        do throws(StatusError) {
            try keychain.synchronize { session throws(StatusError) in
                // Delete the pages of a former circle: an agent that was still running may have written them after the
                // store had left that circle.
                for range in [StatePage.records, StatePage.manifests, StatePage.heads] {
                    for number in try session.pageNumbers(in: range) { try session.deletePage(number) }
                }
                for number in [
                    StatePage.inFlight, StatePage.report, StatePage.metrics, StatePage.refused,
                ] { try session.deletePage(number) }
                try state.saveDevice(in: session)
                try configuration.save(in: session)
                try state.saveManifests(in: session)
                try state.saveHeads(in: session)
                try state.saveCursor(in: session)
            }
        } catch {
            throw error.reason == .classKeyAbsent ? .locked : .store(error)
        }
        reload()
    }

    /// Deletes the state of synchronization; the items and the versions that lost a conflict stay.
    package func uninstall() throws(SyncError) {
        reload()
        do throws(StatusError) {
            try keychain.synchronize { session throws(StatusError) in
                for number in try session.pageNumbers(in: StatePage.all)
                where !StatePage.conflicts.contains(number) { try session.deletePage(number) }
            }
        } catch {
            throw .store(error)
        }
    }

    /// Whether the store belongs to a circle, even if it is locked; false if its state is damaged or unreadable.
    package var isConfigured: Bool {
        do throws(SyncError) {
            _ = try state()
            return true
        } catch {
            return error == .locked
        }
    }
}

package enum SystemTime {
    package static let milliseconds: @Sendable () -> UInt64 = {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(max(0, time.tv_sec)) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
    }
}
