// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// Reads and authenticates the chunks of a backup.
package struct BackupReader {
    private let header: BackupHeader
    private let read: (Int) throws(StatusError) -> [UInt8]
    private var number: UInt64 = 0

    /// Reads the header, and checks the passphrase.
    ///
    /// `read` returns as many bytes as requested, and fewer only at the end of the file.
    ///
    /// - Throws: `unknownFormat` with `malformedBackup`; `authenticationFailed` with `wrongPassphrase`;
    ///   `invalidParameter` with `passcodeMalformed` for an empty passphrase; the errors of `read`.
    package init(
        under passphrase: borrowing SecretBytes,
        _ read: @escaping (Int) throws(StatusError) -> [UInt8]
    ) throws(StatusError) {
        header = try BackupHeader(try read(BackupHeader.byteCount), under: passphrase)
        self.read = read
    }

    private static let damaged = StatusError(.undecodable, .malformedBackup)

    /// Calls the closure with every item, and returns the summary at the end of the backup.
    ///
    /// - Throws: `undecodable` with `malformedBackup` if a chunk is damaged, the end is missing or other bytes follow
    ///   it; the errors of `read` and of the closure.
    mutating func forEachItem(
        _ body: (BackupItem) throws(StatusError) -> Void
    ) throws(StatusError) -> BackupSummary {
        var items: UInt64 = 0
        while true {
            var (plain, isLast) = try nextChunk()
            defer { plain.wipe() }
            let records = try Self.records(in: plain)
            guard (records.summary != nil) == isLast else { throw Self.damaged }
            for item in records.items {
                items += 1
                try body(item)
            }
            guard let summary = records.summary else { continue }
            guard summary.items == items, try read(1).isEmpty else { throw Self.damaged }
            return summary
        }
    }

    private mutating func nextChunk() throws(StatusError) -> (plain: [UInt8], isLast: Bool) {
        let prefix = try read(4)
        guard prefix.count == 4 else { throw Self.damaged }
        let length = prefix.reversed().reduce(0) { $0 << 8 | Int($1) }
        // Limit the length, because a forged length must not make the reader allocate too much memory.
        guard length >= Sealing.overhead, length <= BackupRecord.limit else { throw Self.damaged }
        let box = try read(length)
        guard box.count == length else { throw Self.damaged }
        defer { number += 1 }
        for isLast in [false, true] {
            let data = header.associatedData(ofChunk: number, isLast: isLast)
            do throws(StatusError) {
                let plain = try Sealing.open(
                    box,
                    under: header.key,
                    associatedData: data,
                    orThrow: .malformedBackup
                )
                return (plain, isLast)
            } catch {
                if isLast { throw error }
            }
        }
        throw Self.damaged
    }

    /// Decodes the records of a decrypted chunk; the summary is `nil` unless the chunk contains the end
    /// record.
    private static func records(
        in plain: [UInt8]
    ) throws(StatusError) -> (items: [BackupItem], summary: BackupSummary?) {
        guard let records = unsafe plain.withUnsafeBytes({ unsafe parse($0) }) else { throw damaged }
        return records
    }

    private static func parse(
        _ buffer: UnsafeRawBufferPointer
    ) -> (items: [BackupItem], summary: BackupSummary?)? {
        var reader = unsafe ByteReader(buffer)
        var items: [BackupItem] = []
        while reader.remaining > 0 {
            guard let code: UInt8 = reader.number(), let kind = BackupRecord(rawValue: code),
                let length: UInt32 = reader.number(), let content = unsafe reader.take(Int(length))
            else { return nil }
            switch kind {
            case .item:
                guard let item = unsafe BackupItem(content) else { return nil }
                items.append(item)
            case .end:
                guard reader.remaining == 0, let summary = unsafe Self.summary(content) else { return nil }
                return (items, summary)
            }
        }
        return (items, nil)
    }

    private static func summary(_ content: UnsafeRawBufferPointer) -> BackupSummary? {
        var reader = unsafe ByteReader(content)
        guard content.count == 24, let items: UInt64 = reader.number(),
            let thisDeviceOnly: UInt64 = reader.number(), let constrained: UInt64 = reader.number()
        else { return nil }
        var summary = BackupSummary()
        (summary.items, summary.thisDeviceOnly, summary.constrained) = (items, thisDeviceOnly, constrained)
        return summary
    }
}
