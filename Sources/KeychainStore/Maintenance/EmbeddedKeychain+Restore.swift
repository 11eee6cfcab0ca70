// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

extension EmbeddedKeychain {
    /// Adds the items of a backup to their former access groups, in one transaction.
    ///
    /// The store stays unchanged if `dryRun` is true, if the call fails, or if the process ends before the commit.
    ///
    /// - Throws: `undecodable` with `malformedBackup`; `duplicateItem` for an item that exists, if `conflicts` is
    ///   `fail`; `interactionNotAllowed` if a protection class is locked; `userCanceled` if `progress` returned
    ///   false; the errors of reading the backup.
    package func restore(
        _ backup: BackupReader,
        conflicts: RestoreConflict,
        dryRun: Bool,
        _ progress: MaintenanceProgress
    ) throws(StatusError) -> RestoreSummary {
        var reader = backup
        guard !dryRun else {
            return try self.read { session throws(StatusError) in
                let target = RestoreTarget(session, writer: nil, conflicts)
                return try session.readCurrent { () throws(StatusError) in
                    try target.restore(&reader, progress)
                }
            }
        }
        return try write { session throws(StatusError) in
            try session.change { () throws(StatusError) in
                try RestoreTarget(session.reader, writer: session, conflicts).restore(&reader, progress)
            }
        }
    }
}

/// The store into which a backup is restored.
private struct RestoreTarget {
    private let session: ReadSession
    /// The session that makes the changes; `nil` for a dry run.
    private let writer: WriteSession?
    private let conflicts: RestoreConflict

    init(_ session: ReadSession, writer: WriteSession?, _ conflicts: RestoreConflict) {
        self.session = session
        self.writer = writer
        self.conflicts = conflicts
    }

    func restore(
        _ reader: inout BackupReader,
        _ progress: MaintenanceProgress
    ) throws(StatusError) -> RestoreSummary {
        var summary = RestoreSummary()
        var completed = 0
        summary.backup = try reader.forEachItem { item throws(StatusError) in
            // Report 0 as the total number of items, which is known only at the end of the file.
            if completed % 256 == 0, !progress(completed, 0) { throw RowScan.canceled }
            completed += 1
            try restore(item, &summary)
        }
        guard progress(completed, completed) else { throw RowScan.canceled }
        return summary
    }

    private func restore(_ item: BackupItem, _ summary: inout RestoreSummary) throws(StatusError) {
        guard case .string(let group)? = item.attributes[.accessGroup] else { return }
        let index = session.store.keys.index
        let digest = session.digest(ofGroup: group)
        let identity = index.identity(
            of: item.itemClass,
            item.attributes,
            in: digest,
            synchronizable: item.synchronizable
        )
        let old = try session.rows.row(.identity(identity), secrets: false)
        if let old, !old.row.columns.tombstone {
            switch conflicts {
            case .fail: throw StatusError(.duplicateItem)
            case .skip:
                summary.skipped += 1
                return
            case .replace: summary.replaced += 1
            }
        } else {
            summary.added += 1
        }
        guard let writer else { return }
        let digests = IndexEntries(of: item.itemClass, item.attributes, in: digest, by: index).column
        let number: Bytes16 = if let old { old.row.columns.item } else { try session.rows.nextItem() }
        let columns = ItemColumns(
            item: number,
            identity: identity,
            version: (old?.row.columns.version ?? 0) + 1,
            protection: item.protection,
            synchronizable: item.synchronizable,
            tombstone: false,
            digests: digests
        )
        try put(item, columns, replacing: old, in: writer)
    }

    private func put(
        _ item: BackupItem,
        _ columns: ItemColumns,
        replacing old: StoredRow?,
        in writer: WriteSession
    ) throws(StatusError) {
        let sealed = try ItemSealer(keys: session.store.keys).seal(
            item.attributes,
            secret: item.value,
            columns: columns,
            under: nil,
            with: writer.state.keys
        )
        guard let old else { return try writer.insert(sealed) }
        try session.verifyBucket(of: columns.identity)
        try writer.replace(old, with: sealed)
    }
}
