// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainModel

/// The size of the database and its log.
extension ItemStore {
    /// Copies a long log into the database and empties it.
    ///
    /// A log is long if it has ``checkpointThreshold`` frames or, on an almost full disk, half as many frames as the database
    /// has pages. A connection that has emptied the log lets it grow longer, so that one checkpoint copies each page once for
    /// many changes. Processes that write once and end would only make the log longer, and the next process that opens the
    /// store reads all of it. The file keeps its size, because the next writes reuse its blocks, unless it is twice as long
    /// as it should be.
    ///
    /// The caller holds the writer's lock and is outside of a transaction.
    package func checkpointIfLong() {
        let frames = connection.logFrames
        let limit = limit
        guard frames >= limit || vacuumedPages >= Self.vacuumWithoutCheckpoint else { return }
        vacuumedPages = 0
        let keepsBlocks = !isSpaceTight && frames < 2 * limit
        if connection.emptyLog(waiting: 0, keepingBlocks: keepsBlocks) { hasEmptiedLog = true }
    }

    private var limit: Int {
        let usual = hasEmptiedLog ? Self.growth * checkpointThreshold : checkpointThreshold
        guard isSpaceTight, let pages = try? connection.number(.pageCount) else { return usual }
        return min(usual, max(pages / 2, Self.shortestLog))
    }

    /// How much longer the log of a connection may be that has emptied it.
    private static let growth = 4
    private static let shortestLog = 8

    /// Counts the free pages before a change, unless nobody has changed anything since the last one.
    func noteFreePages() throws(StatusError) {
        guard freePages.version != contentVersion else { return }
        freePages.count = try connection.number(.freePages)
    }

    /// Gives free pages back to the file system, in proportion to what the transaction has freed.
    ///
    /// A few stay for the next items. The file gets shorter with the next checkpoint.
    func vacuum() throws(StatusError) {
        let free = try connection.number(.freePages)
        let freed = free - freePages.count
        freePages.count = free
        let count = min(free - Self.keptFreePages, 2 * max(0, freed) + Self.vacuumPerWrite)
        guard count >= Self.vacuumPerWrite else { return }
        try connection.execute("PRAGMA incremental_vacuum(\(count))")
        vacuumedPages += count
        freePages.count -= count
    }

    private static let keptFreePages = 16
    private static let vacuumPerWrite = 16
    private static let vacuumWithoutCheckpoint = 64

    /// Checks that the file system has space for a checkpoint of this transaction and a later deletion.
    ///
    /// - Throws: `diskFull` with `noSpace`.
    func reserveSpace() throws(StatusError) {
        guard isSpaceTight else { return }
        // Otherwise pages that exist only in the log could never be checkpointed.
        try connection.extendFile(toPages: connection.number(.pageCount))
        guard freeSpace >= Self.deletionSpace else {
            throw StatusError(.diskFull, .noSpace, file: .database)
        }
    }

    /// The free space in bytes; `max` if the file system does not report it.
    var freeSpace: UInt64 {
        var status = statvfs()
        guard unsafe fstatvfs(directory.number, &status) == 0, status.f_blocks > 0 else { return .max }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }

    /// The number of free bytes above which nothing is reserved.
    static let ampleSpace: UInt64 = 16 << 20
    /// The space that the log may need for deleting an item.
    private static let deletionSpace: UInt64 = 64 << 10
}
