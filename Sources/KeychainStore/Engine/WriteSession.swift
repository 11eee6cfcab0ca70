// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// The session that changes the store: under the writer lock, each change in one transaction.
///
/// Every change updates the sums and writes the header, which authenticates all else.
final class WriteSession {
    /// The connection; nothing else uses it.
    let reader: ReadSession
    /// Whether a change is open, of which further ones become parts.
    private var isChanging = false

    init(_ reader: ReadSession) { self.reader = reader }

    var store: StoreContext { reader.store }
    var rows: ItemStore { reader.rows }

    var state: AuthenticatedState {
        get { reader.state }
        _modify { yield &reader.state }
    }

    /// Runs a change, all or nothing; it is durable when this returns.
    ///
    /// A change within another is a part of it. With `deleting` it may use the space that is reserved on an almost full
    /// disk. With `scrubbing` nothing stays in the files of what was overwritten: the log is emptied afterwards, by a
    /// later change or opening if readers or the end of the process interfere.
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
            // The next transaction finds out whether a commit that failed left something.
            let attempted = state.lock?.state
            state = before
            state.contentVersion = nil
            if attempted != before.lock?.state { discardKeysOfAbortedEpoch() }
            throw error
        }
        try finish(since: before, scrubbing: scrubbing)
        return result
    }

    /// What follows a commit, still under the writer lock.
    private func finish(since before: AuthenticatedState, scrubbing: Bool) throws(StatusError) {
        state.contentVersion = rows.contentVersion
        if state.keys !== before.keys {
            store.keySessions.adopt(state.keys, keybagDigest: state.header.keybagDigest)
        }
        // If the files were taken away, the commit went with them. It is not repeated: it may be there.
        guard reader.isInPlace else { throw StatusError(.inputOutput, .databaseReplaced) }
        store.writerLock.noteAcknowledged(state.header.generation)
        if before.lock?.state != state.lock?.state { discardKeys() }
        if store.writerLock.owesScrubbing { reader.scrub(waiting: scrubbing ? 1_000 : 0) }
        rows.checkpointIfLong()
    }

    /// Runs the transaction; on a full disk, a deletion may use the space that the log occupies.
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

    /// The change itself, within the transaction, and the header that authenticates it.
    private func changeAndSeal<Result>(_ body: () throws(StatusError) -> Result) throws(StatusError) -> Result
    {
        try reader.refresh()
        // If others have written what this session does not see, these are not their files.
        guard state.header.generation >= store.writerLock.acknowledgedGeneration else {
            throw StatusError(.notAvailable, .databaseReplaced)
        }
        guard !state.header.isReadOnly else { throw StatusError(.readOnly, .readOnlyStore) }
        let result = try body()
        state.header.generation += 1
        try rows.write(state.header.sealed(with: store.keys), asPage: PageNumber.header)
        return result
    }
}

// Emptying the log for the sake of what it and the database still have of something that was overwritten.
extension ReadSession {
    func scrub(waiting milliseconds: Int32) {
        if rows.emptyLog(waiting: milliseconds) { store.writerLock.noteScrubbed() }
    }

    /// Does what a process that was killed, or one that met readers, has left to do; not while others write, who will.
    func scrubIfOwed() {
        guard store.writerLock.owesScrubbing, !store.writerLock.isReadOnly, !state.header.isReadOnly,
            store.writerLock.acquireIfFree()
        else { return }
        defer { store.writerLock.release() }
        if store.writerLock.owesScrubbing { scrub(waiting: 0) }
    }
}
