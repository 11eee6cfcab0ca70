// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// Collects records and encrypts them in chunks.
///
/// A chunk is encoded as `length 4 | box`, where the box consists of nonce, ciphertext and tag.
struct BackupWriter {
    private static let chunkByteCount = 64 << 10

    private let header: BackupHeader
    private var records = ByteWriter(capacity: 2 * chunkByteCount)
    private var number: UInt64 = 0

    init(_ header: BackupHeader) { self.header = header }

    mutating func add(
        _ item: BackupItem,
        _ write: ([UInt8]) throws(StatusError) -> Void
    ) throws(StatusError) {
        item.append(to: &records)
        if records.bytes.count >= Self.chunkByteCount { try flush(isLast: false, write) }
    }

    mutating func finish(
        _ summary: BackupSummary,
        _ write: ([UInt8]) throws(StatusError) -> Void
    ) throws(StatusError) {
        records.append(BackupRecord.end.rawValue)
        records.append(UInt32(24))
        records.append(summary.items)
        records.append(summary.thisDeviceOnly)
        records.append(summary.constrained)
        try flush(isLast: true, write)
    }

    mutating func wipe() { records.wipe() }

    private mutating func flush(
        isLast: Bool,
        _ write: ([UInt8]) throws(StatusError) -> Void
    ) throws(StatusError) {
        var plain = records.bytes
        records = ByteWriter(capacity: 2 * Self.chunkByteCount)
        defer { plain.wipe() }
        let data = header.associatedData(ofChunk: number, isLast: isLast)
        var length = ByteWriter(capacity: 4)
        length.append(UInt32(clamping: plain.count + Sealing.overhead))
        try write(Sealing.seal(plain, under: header.key, associatedData: data, after: length.bytes))
        number += 1
    }
}

extension EmbeddedKeychain {
    /// Writes an encrypted backup of all access groups from one snapshot of the database.
    ///
    /// Other processes can read and write meanwhile. Items that must not leave the device, and items whose access
    /// control has constraints, are counted but not copied.
    ///
    /// - Throws: `invalidParameter` with `passcodeMalformed` for an empty passphrase; `interactionNotAllowed` with
    ///   `classKeyAbsent` if an item to copy is locked; `undecodable` with `recordDamaged` if one is damaged;
    ///   `userCanceled` if `progress` returned false; the errors of `write`.
    package func backUp(
        under passphrase: borrowing SecretBytes,
        cost: PasscodeCost? = nil,
        _ progress: MaintenanceProgress,
        to write: ([UInt8]) throws(StatusError) -> Void
    ) throws(StatusError) -> BackupSummary {
        let chosen: PasscodeCost = if let cost { cost } else { try PasscodeCost.calibrated() }
        let header = try BackupHeader(under: passphrase, cost: chosen)
        return try read { session throws(StatusError) in
            try session.readCurrent { () throws(StatusError) in
                try write(header.bytes)
                return try Self.backUp(session, header, progress, write)
            }
        }
    }

    private static func backUp(
        _ session: ReadSession,
        _ header: BackupHeader,
        _ progress: MaintenanceProgress,
        _ write: ([UInt8]) throws(StatusError) -> Void
    ) throws(StatusError) -> BackupSummary {
        var writer = BackupWriter(header)
        defer { writer.wipe() }
        var summary = BackupSummary()
        var completed = 0
        let total = Int(clamping: session.state.header.itemCount)
        let sealer = ItemSealer(keys: session.store.keys)
        try session.rows.forEachRow(.all, secrets: true) { stored throws(StatusError) in
            let row = stored.row
            guard !row.columns.tombstone else { return true }
            if completed % 256 == 0, !progress(completed, total) { throw RowScan.canceled }
            completed += 1
            guard row.columns.protection.rule.leavesDevice else {
                summary.thisDeviceOnly += 1
                return true
            }
            guard let item = try Self.opened(row, sealer, session.state.keys) else {
                summary.constrained += 1
                return true
            }
            summary.items += 1
            try writer.add(item, write)
            return true
        }
        guard progress(completed, completed) else { throw RowScan.canceled }
        try writer.finish(summary, write)
        return summary
    }

    /// Decrypts a row; `nil` if its access control has constraints.
    private static func opened(
        _ row: ItemRow,
        _ sealer: ItemSealer,
        _ keys: KeySession
    ) throws(StatusError) -> BackupItem? {
        guard try sealer.accessControl(of: row, with: keys) == nil else { return nil }
        let item = try sealer.open(row, with: keys)
        return BackupItem(item, value: try sealer.decryptedValue(of: item))
    }
}
