// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// The session that changes the store, in one transaction per change.
///
/// It holds the writer lock. Every change updates the multiset hashes and writes the header, which
/// authenticates everything else.
final class WriteSession {
    /// The connection, used only by this session.
    let reader: ReadSession
    /// Whether a change is in progress; nested changes become part of it.
    private var isChanging = false
    /// Whether the current change must be followed by scrubbing.
    private var isScrubbingPending = false

    init(_ reader: ReadSession) { self.reader = reader }

    /// Leaves an empty log, which the next process opens faster.
    deinit {
        guard rows.leavesLog, store.writerLock.acquireIfFree() else { return }
        defer { store.writerLock.release() }
        if reader.isInPlace { rows.emptyLogForNextProcess() }
    }

    var store: StoreContext { reader.store }
    var rows: ItemStore { reader.rows }

    var state: AuthenticatedState {
        get { reader.state }
        _modify { yield &reader.state }
    }

    /// Runs a change in one transaction, durable on return.
    ///
    /// A nested change becomes part of the outer one. With `deleting`, it may use the space reserved on an
    /// almost full disk. With `scrubbing`, no overwritten data remains in the files: the log is emptied after
    /// the commit. If readers prevent this or the process ends, a later change or the next opening empties
    /// it.
    func change<Result>(
        scrubbing: Bool = false,
        deleting: Bool = false,
        _ body: () throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        guard !isChanging else { return try body() }
        isChanging = true
        defer { isChanging = false }
        try store.writerLock.acquire()
        defer { store.writerLock.release() }
        _ = try store.directory.inspect(StoreLocation.databaseName)
        try reader.checkFilesUnreplaced()
        let before = state
        if scrubbing { try store.writerLock.noteScrubbing() }
        let result: Result
        do throws(StatusError) {
            result = try write(usingReserve: deleting, body)
        } catch {
            // The next transaction determines whether the failed commit left anything.
            let attempted = state.lock?.epoch
            state = before
            state.contentVersion = nil
            if attempted != before.lock?.epoch { discardKeysOfAbortedEpoch() }
            throw error
        }
        try finish(since: before, scrubbing: scrubbing)
        return result
    }

    /// Checks the files and empties the log after a commit.
    ///
    /// The caller holds the writer lock.
    private func finish(since before: AuthenticatedState, scrubbing: Bool) throws(StatusError) {
        state.contentVersion = rows.contentVersion
        if state.keys !== before.keys {
            store.keySessions.adopt(state.keys, keybagDigest: state.header.keybagDigest)
        }
        // If the files were removed, the commit was lost with them. It is not repeated, because it may still
        // be present.
        guard reader.isInPlace else { throw StatusError(.inputOutput, .databaseReplaced) }
        store.writerLock.noteAcknowledged(state.header.generation)
        if before.lock?.epoch != state.lock?.epoch { discardKeys() }
        if isScrubbingPending { reader.scrub(waiting: scrubbing ? 1_000 : 0) }
        rows.checkpointIfLong()
    }

    /// Runs the transaction; on a full disk, a deletion may use the space of the log.
    private func write<Result>(
        usingReserve: Bool,
        _ body: () throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        let before = state
        do throws(StatusError) {
            return try rows.write(usingReserve: usingReserve) { () throws(StatusError) in
                try changeAndSeal(body)
            }
        } catch {
            guard error.status == .diskFull, usingReserve, rows.emptyLog(waiting: 0) else { throw error }
            state = before
            state.contentVersion = nil
            return try rows.write(usingReserve: true) { () throws(StatusError) in try changeAndSeal(body) }
        }
    }

    /// Runs the change within the transaction and writes the header.
    private func changeAndSeal<Result>(_ body: () throws(StatusError) -> Result) throws(StatusError) -> Result
    {
        try reader.refresh()
        // If another process has written more than this session sees, the files have been replaced.
        let notes = store.writerLock.notes
        isScrubbingPending = notes.isScrubbingPending
        guard state.header.generation >= notes.acknowledged else {
            throw StatusError(.notAvailable, .databaseReplaced)
        }
        guard !state.header.isReadOnly else { throw StatusError(.readOnly, .readOnlyStore) }
        let result = try body()
        state.header.generation += 1
        try rows.write(state.header.sealed(with: store.keys), asPage: PageNumber.header)
        return result
    }
}

// Scrubbing empties the log, because the log and the database may still contain overwritten data.
extension ReadSession {
    func scrub(waiting milliseconds: Int32) {
        if rows.emptyLog(waiting: milliseconds) { store.writerLock.noteScrubbed() }
    }

    /// Completes what an ended process left or readers prevented: scrubbing, and emptying a long log.
    ///
    /// Does nothing while another process is writing.
    func finishForEndedProcess() {
        let isScrubbingPending = store.writerLock.isScrubbingPending
        guard isScrubbingPending || rows.foundLongLog, !rows.isReadOnly, !store.writerLock.isReadOnly,
            !state.header.isReadOnly, store.writerLock.acquireIfFree()
        else { return }
        defer { store.writerLock.release() }
        if store.writerLock.isScrubbingPending { scrub(waiting: 0) } else { rows.emptyLogForNextProcess() }
    }
}
