// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Changes the store through a ``ReadSession``, in one transaction for each change.
///
/// The writer lock is held during a change. Every change updates the multiset hashes and writes the header, which
/// authenticates all rows and the pages that contain keys.
final class WriteSession {
    /// The session that makes the changes; no other thread uses it at the same time.
    let reader: ReadSession
    /// Whether a change is in progress; nested changes become part of that change.
    private var isChanging = false
    /// Whether the write-ahead log must be emptied after the current change, to remove overwritten data.
    private var isScrubbingPending = false
    /// The key items that the current change has deleted.
    var deletedKeys: [PersistentReference] = []

    init(_ reader: ReadSession) { self.reader = reader }

    var store: StoreContext { reader.store }
    var rows: ItemStore { reader.rows }

    var state: AuthenticatedState {
        get { reader.state }
        _modify { yield &reader.state }
    }

    /// Runs a change in one transaction, durable on return.
    ///
    /// A nested change becomes part of the outer one. With `deleting`, the change may use the disk space
    /// that is reserved for deletions. With `scrubbing`, the write-ahead log is emptied after the commit, so that the
    /// files contain no overwritten data. If readers prevent this or the process ends first, a later change
    /// or the next process to open the store empties the log.
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
            // A failed commit may have reached the disk anyway, so the next transaction reloads the state.
            let attempted = state.lock?.epoch
            state = before
            state.contentVersion = nil
            if attempted != before.lock?.epoch { discardKeysOfAbortedEpoch() }
            throw error
        }
        try finish(since: before, scrubbing: scrubbing)
        return result
    }

    /// Records the new number of writes after a commit, and empties the write-ahead log if necessary.
    ///
    /// This is necessary if the log is long or contains overwritten data. The caller holds the writer lock.
    private func finish(since before: AuthenticatedState, scrubbing: Bool) throws(StatusError) {
        state.contentVersion = rows.contentVersion
        if state.keys !== before.keys {
            store.keySessions.adopt(state.keys, keybagDigest: state.header.keybagDigest)
        }
        // If the files were removed or replaced, it is unknown whether the commit is lost. The status
        // `inputOutput` prevents the caller from repeating the change.
        guard reader.isInPlace else { throw StatusError(.inputOutput, .databaseReplaced) }
        store.writerLock.noteAcknowledged(state.header.generation)
        if before.lock?.epoch != state.lock?.epoch { discardKeys() }
        if isScrubbingPending { reader.scrub(waiting: scrubbing ? 1_000 : 0) }
        rows.checkpointIfLong()
    }

    /// Runs a change; if the disk is full, a deletion empties the write-ahead log and is repeated.
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

    /// Runs the change within the transaction, then writes the header.
    private func changeAndSeal<Result>(_ body: () throws(StatusError) -> Result) throws(StatusError) -> Result
    {
        try reader.refresh()
        // If the header is older than the last acknowledged write, the files have been replaced.
        let notes = store.writerLock.notes
        isScrubbingPending = notes.isScrubbingPending
        guard state.header.generation >= notes.acknowledged else {
            throw StatusError(.notAvailable, .databaseReplaced)
        }
        guard !state.header.isReadOnly else { throw StatusError(.readOnly, .readOnlyStore) }
        deletedKeys = []
        let result = try body()
        try deletePrivateHalves(of: deletedKeys)
        state.header.generation += 1
        try rows.write(state.header.seal(with: store.keys), asPage: PageNumber.header)
        return result
    }

    /// Deletes the hidden items in which the daemon has stored the private keys of deleted key items.
    ///
    /// A caller that may delete a key may also delete its private key, so the access control is not checked again.
    private func deletePrivateHalves(of keys: [PersistentReference]) throws(StatusError) {
        let group = reader.digest(ofGroup: KeyToken.privateGroup)
        guard !keys.isEmpty, try rows.itemCount(in: group) > 0 else { return }
        for key in keys {
            let filter = ItemFilter(itemClass: .genericPassword, attributes: KeyToken.privateHalf(of: key))
            let deletion = Request.delete(DeleteRequest(filter: filter))
            do throws(StatusError) {
                let authorized = try AccessPolicy.authorize(deletion, for: KeyToken.owner)
                _ = try ItemChange(self, authorized, with: Credential(level: .group)).perform()
            } catch {
                // Most keys have no such hidden item, because they were not made by the daemon.
                guard error.status == .itemNotFound else { throw error }
            }
        }
    }
}

// Scrubbing: emptying the write-ahead log, which may still contain secret data that was overwritten.
extension ReadSession {
    func scrub(waiting milliseconds: Int32) {
        if rows.emptyLog(waiting: milliseconds) { store.writerLock.noteScrubbed() }
    }

    /// Empties a long write-ahead log that this session has written, so that the next process opens the store faster.
    ///
    /// While another process writes, this does nothing.
    func finishForNextProcess() {
        guard rows.leavesLog, store.writerLock.acquireIfFree() else { return }
        defer { store.writerLock.release() }
        if isInPlace { rows.emptyLogForNextProcess() }
    }

    /// Empties a write-ahead log that an ended process has left with overwritten data, or that it has left long.
    ///
    /// If another process is writing, or the store cannot be written, this does nothing.
    func finishForEndedProcess() {
        let isScrubbingPending = store.writerLock.isScrubbingPending
        guard isScrubbingPending || rows.foundLongLog, !rows.isReadOnly, !store.writerLock.isReadOnly,
            !state.header.isReadOnly, store.writerLock.acquireIfFree()
        else { return }
        defer { store.writerLock.release() }
        if store.writerLock.isScrubbingPending { scrub(waiting: 0) } else { rows.emptyLogForNextProcess() }
    }
}
