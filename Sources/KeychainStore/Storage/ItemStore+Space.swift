// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainModel

/// The size of the database and its log.
extension ItemStore {
    /// Copies a long log into the database.
    ///
    /// A log is long if it has ``checkpointThreshold`` frames or, on an almost full disk, half as many frames as the database has
    /// pages.
    /// The first checkpoint of a connection also truncates the log. Otherwise processes that write once and end would only
    /// make it longer, and the next process that opens the store reads the whole log. Later checkpoints keep the size of
    /// the log, unless it is twice as long as it should be, because the next write reuses its blocks.
    ///
    /// The caller holds the writer's lock and is outside of a transaction.
    package func checkpointIfLong() {
        let frames = connection.logFrames
        guard frames >= limit || vacuumedPages >= Self.vacuumWithoutCheckpoint else { return }
        vacuumedPages = 0
        if hasTruncatedLog, frames < 2 * checkpointThreshold {
            connection.checkpoint()
        } else {
            hasTruncatedLog = connection.emptyLog(waiting: 0)
        }
    }

    private var limit: Int {
        guard isSpaceTight, let pages = try? connection.number(.pageCount) else { return checkpointThreshold }
        return min(checkpointThreshold, max(pages / 2, Self.shortestLog))
    }

    private static let shortestLog = 8

    /// Gives free pages back to the file system, in proportion to what the transaction has freed.
    ///
    /// A few stay for the next items. The file gets shorter with the next checkpoint.
    func vacuum(freed: Int) throws(StatusError) {
        let free = try connection.number(.freePages)
        let count = min(free - Self.keptFreePages, 2 * max(0, freed) + Self.vacuumPerWrite)
        guard count >= Self.vacuumPerWrite else { return }
        try connection.execute("PRAGMA incremental_vacuum(\(count))")
        vacuumedPages += count
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

    private var isSpaceTight: Bool { freeSpace < Self.ampleSpace }

    /// The free space in bytes; `max` if the file system does not report it.
    private var freeSpace: UInt64 {
        var status = statvfs()
        guard unsafe fstatvfs(directory.number, &status) == 0, status.f_blocks > 0 else { return .max }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }

    /// The number of free bytes above which nothing is reserved.
    private static let ampleSpace: UInt64 = 16 << 20
    /// The space that the log may need for deleting an item.
    private static let deletionSpace: UInt64 = 64 << 10
}
