// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainModel

/// Limits the size of the database and of its write-ahead log.
extension ItemStore {
    /// Copies a long write-ahead log into the database and empties it.
    ///
    /// A log is long if it has ``checkpointThreshold`` frames: this limit suits a process that writes once and exits,
    /// because the next process reads the whole log. If this connection has emptied the log before, the limit is
    /// 16 times as high, so that one checkpoint covers many changes. On an almost full disk, the limit is at most
    /// half the number of the database's pages, but at least 8. A short log is emptied too, once ``vacuum()`` has
    /// freed many pages.
    ///
    /// The log file keeps its size, because the next writes reuse its blocks. It is truncated if the log has at least
    /// twice as many frames as the limit, or if the disk is almost full.
    ///
    /// The caller holds the writer lock and has no open transaction.
    package func checkpointIfLong() {
        let frames = connection.logFrames
        let limit = limit
        guard frames >= limit || vacuumedPages >= Self.vacuumWithoutCheckpoint else { return }
        vacuumedPages = 0
        let keepsBlocks = !isSpaceTight && frames < 2 * limit
        if connection.emptyLog(waiting: 0, keepingBlocks: keepsBlocks) { hasEmptiedLog = true }
    }

    /// Copies the write-ahead log into the database and empties it, so that the next process opens the store faster.
    ///
    /// The caller holds the writer lock.
    func emptyLogForNextProcess() { _ = connection.emptyLog(waiting: 0, keepingBlocks: !isSpaceTight) }

    /// Whether this connection's commits have left a write-ahead log that slows down the next process.
    var leavesLog: Bool { connection.logFrames >= max(1, checkpointThreshold / 4) }

    /// Whether the write-ahead log is so long that a process must have ended without emptying it.
    var foundLongLog: Bool { logHeader.map { $0.frameCount >= 2 * checkpointThreshold } ?? false }

    private var limit: Int {
        let usual = hasEmptiedLog ? Self.growth * checkpointThreshold : checkpointThreshold
        guard isSpaceTight, let pages = try? connection.number(.pageCount) else { return usual }
        return min(usual, max(pages / 2, Self.shortestLog))
    }

    /// The factor by which the checkpoint threshold grows for a connection that has emptied the write-ahead log.
    private static let growth = 16
    private static let shortestLog = 8

    /// Counts the free pages before a change, unless the database is unchanged since they were last counted.
    func noteFreePages() throws(StatusError) {
        guard freePages.version != contentVersion else { return }
        freePages.count = try connection.number(.freePages)
    }

    /// Removes free pages from the database: about twice as many as the change has freed.
    ///
    /// A few pages are kept for the next items. The file becomes shorter at the next checkpoint.
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

    /// Checks that the disk has room for the next checkpoint and a later deletion.
    ///
    /// - Throws: `diskFull` with `noSpace`.
    func reserveSpace() throws(StatusError) {
        guard isSpaceTight else { return }
        // Extend the file now: on a full disk, pages that exist only in the write-ahead log could not be checkpointed.
        try connection.extendFile(toPages: connection.number(.pageCount))
        guard freeSpace >= Self.deletionSpace else {
            throw StatusError(.diskFull, .noSpace, file: .database)
        }
    }

    /// Returns the size of the database without its free pages, in bytes.
    func usedBytes() throws(StatusError) -> UInt64 {
        let pages = try connection.number(.pageCount) - connection.number(.freePages)
        return UInt64(clamping: pages) * Self.pageBytes
    }

    /// The page size of the database, which is SQLite's default.
    private static let pageBytes: UInt64 = 4_096

    /// Checks whether the disk is almost full, unless it had much free space a few milliseconds ago.
    func checkSpace() {
        let now = CoarseClock.now
        guard now != spaceCheck else { return }
        let free = freeSpace
        isSpaceTight = free < Self.ampleSpace
        spaceCheck = free >= Self.plentifulSpace ? now : nil
    }

    /// The free space in bytes; `max` if the file system does not report it.
    var freeSpace: UInt64 {
        var status = statvfs()
        guard unsafe fstatvfs(directory.number, &status) == 0, status.f_blocks > 0 else { return .max }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }

    /// The number of free bytes on the disk below which it counts as almost full.
    static let ampleSpace: UInt64 = 16 << 20
    /// The number of free bytes that other writes cannot use up within a tick of ``CoarseClock``.
    private static let plentifulSpace: UInt64 = 1 << 30
    /// The space in bytes that must stay free for the write-ahead log of a later deletion.
    private static let deletionSpace: UInt64 = 64 << 10
}
