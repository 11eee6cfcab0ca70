// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// The header of a backup file: `magic 8 | passes 1 | log2 of KiB 1 | zeros 6 | salt 16 | check 16`.
///
/// `Documentation/Backup.md` describes the file byte by byte. The associated data of every chunk contains the
/// header.
struct BackupHeader {
    static let byteCount = 48
    private static let magic = "LKCBAK01"

    let bytes: [UInt8]
    /// The key that encrypts the chunks of the backup.
    let key: SecretKey

    /// Creates the header of a new backup, and derives its key.
    ///
    /// - Throws: `invalidParameter` with `passcodeMalformed` for an empty passphrase.
    init(
        under passphrase: borrowing SecretBytes,
        cost: PasscodeCost
    ) throws(StatusError) {
        let derivation = KeyDerivation(salt: .random(), cost: cost)
        let keys = try Self.keys(derivation, passphrase)
        var writer = ByteWriter(capacity: Self.byteCount)
        writer.append(Self.magic)
        writer.append(cost.passes)
        writer.append(cost.doublings)
        writer.append(zeros: 6)
        writer.append(derivation.salt)
        writer.append(keys.check)
        bytes = writer.bytes
        key = keys.chunks
    }

    /// Reads the header of a backup, and derives its key.
    ///
    /// - Throws: `unknownFormat` with `malformedBackup`; `authenticationFailed` with `wrongPassphrase`;
    ///   `invalidParameter` with `passcodeMalformed` for an empty passphrase.
    init(_ bytes: [UInt8], under passphrase: borrowing SecretBytes) throws(StatusError) {
        guard let (derivation, check) = unsafe bytes.withUnsafeBytes({ unsafe Self.parse($0) }) else {
            throw StatusError(.unknownFormat, .malformedBackup)
        }
        let keys = try Self.keys(derivation, passphrase)
        guard keys.check == check else { throw StatusError(.authenticationFailed, .wrongPassphrase) }
        self.bytes = bytes
        key = keys.chunks
    }

    private static func parse(
        _ bytes: UnsafeRawBufferPointer
    ) -> (derivation: KeyDerivation, check: Bytes16)? {
        var reader = unsafe ByteReader(bytes)
        guard bytes.count == byteCount, let magic = unsafe reader.take(8),
            unsafe magic.elementsEqual(Self.magic.utf8), let passes: UInt8 = reader.number(),
            let doublings: UInt8 = reader.number(),
            let cost = PasscodeCost(passes: passes, doublings: doublings),
            let zeros = unsafe reader.take(6), unsafe zeros.allSatisfy({ $0 == 0 }),
            let salt = reader.bytes16(), let check = reader.bytes16()
        else { return nil }
        return (KeyDerivation(salt: salt, cost: cost), check)
    }

    private static func keys(
        _ derivation: KeyDerivation,
        _ passphrase: borrowing SecretBytes
    ) throws(StatusError) -> (chunks: SecretKey, check: Bytes16) {
        guard passphrase.count > 0 else { throw StatusError(.invalidParameter, .passcodeMalformed) }
        let derived = try derivation.derive(from: passphrase).derive(["backup chunks", "backup check"])
        return (derived[0], KeyedDigest(key: derived[1]).digest(of: derivation.salt.bytes).truncated)
    }

    /// Returns the associated data of a chunk: the header, the chunk's number, and whether it is the last.
    func associatedData(ofChunk number: UInt64, isLast: Bool) -> [UInt8] {
        var writer = ByteWriter(capacity: Self.byteCount + 9)
        writer.append(bytes)
        writer.append(number)
        writer.append(UInt8(isLast ? 1 : 0))
        return writer.bytes
    }
}

/// The types of records in the chunks; a record is encoded as `type 1 | length 4 | body`.
enum BackupRecord: UInt8 {
    /// An item.
    ///
    /// The body is `class 1 | protection 1 | flags 1 | attributes length 4 | attributes | value`.
    case item = 1
    /// The end of the backup, with the counts of ``BackupSummary``.
    ///
    /// The body is `items 8 | this device only 8 | with an access control 8`.
    case end = 2

    static let synchronizable: UInt8 = 1
    static let hasValue: UInt8 = 2
    /// The maximum number of bytes in an encrypted chunk that is read.
    static let limit = 1 << 30
}

/// An item of a backup, decrypted.
struct BackupItem {
    let itemClass: ItemClass
    let protection: ProtectionClass
    let synchronizable: Bool
    let attributes: Attributes
    let value: SecretBuffer?
}

extension BackupItem {
    init(_ item: OpenedItem, value: SecretBuffer?) {
        let columns = item.row.columns
        itemClass = columns.itemClass
        protection = columns.protection
        synchronizable = columns.synchronizable
        attributes = item.attributes
        self.value = value
    }

    func append(to writer: inout ByteWriter) {
        let encoded = SealedAttributes(attributes: attributes, secretTag: nil).encoded
        writer.reserve(12 + encoded.count + (value?.count ?? 0))
        writer.append(BackupRecord.item.rawValue)
        writer.append(UInt32(clamping: 7 + encoded.count + (value?.count ?? 0)))
        writer.append(itemClass.rawValue)
        writer.append(protection.rawValue)
        writer.append(
            (synchronizable ? BackupRecord.synchronizable : 0) | (value == nil ? 0 : BackupRecord.hasValue)
        )
        writer.append(UInt32(clamping: encoded.count))
        writer.append(encoded)
        if let value { unsafe value.withUnsafeBytes { unsafe writer.append($0) } }
    }

    /// Decodes the body of an item's record; `nil` if it is malformed or the item must not leave a device.
    init?(_ body: UnsafeRawBufferPointer) {
        var reader = unsafe ByteReader(body)
        guard let classCode: UInt8 = reader.number(), let itemClass = ItemClass(rawValue: classCode),
            itemClass.isStored, let protectionCode: UInt8 = reader.number(),
            let protection = ProtectionClass(rawValue: protectionCode), protection.rule.leavesDevice,
            let flags: UInt8 = reader.number(),
            flags & ~(BackupRecord.synchronizable | BackupRecord.hasValue) == 0,
            let length: UInt32 = reader.number(), let encoded = unsafe reader.take(Int(length)),
            let sealed = unsafe SealedAttributes(decoding: encoded),
            case .string? = sealed.attributes[.accessGroup],
            sealed.attributes.sealable(ItemSchema.of(itemClass)) == sealed.attributes
        else { return nil }
        let hasValue = flags & BackupRecord.hasValue != 0
        guard hasValue || reader.remaining == 0 else { return nil }
        self.itemClass = itemClass
        self.protection = protection
        synchronizable = flags & BackupRecord.synchronizable != 0
        attributes = sealed.attributes
        value = hasValue ? unsafe reader.take(reader.remaining).map { unsafe SecretBuffer(copying: $0) } : nil
    }
}
