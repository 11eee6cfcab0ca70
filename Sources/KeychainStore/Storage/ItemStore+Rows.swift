// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// A row with its row number in the database.
package struct StoredRow: Sendable {
    package let number: Int64
    package let row: ItemRow
}

/// The columns that decrypting an item's value needs; `record` is valid only until the next row is read.
@safe
struct ValueRow {
    let item: Bytes16
    let version: UInt64
    let protection: ProtectionClass
    let synchronizable: Bool
    let tombstone: Bool
    let keyParity: KeyParity
    /// The encrypted value; empty if the item has none.
    let record: UnsafeRawBufferPointer
}

package enum RowSelection: Sendable {
    case identity(ItemIdentity)
    case item(Bytes16)
    case digest(IndexEntries.Entry)
    /// The rows of a group and class, in insertion order.
    case group(Bytes8, ItemClass)
    /// The rows of a group and class in one bucket, a part of the rows with its own multiset hash.
    case bucket(Bucket, Bytes8, ItemClass)
    /// All rows, in the order of their identities: by access group, class and digest of the primary key.
    case all
    case protection(ProtectionClass)
    /// The row with the given row number; unlike `item`, this does not compare the row's random tag.
    case number(Int64)
}

extension ItemStore {
    /// Calls the closure with each selected row until it returns false.
    ///
    /// `secrets` selects whether the encrypted values are read.
    // If this function is inlined, the optimizer of Swift 6.3.1 fails ("Found ownership error").
    @inline(never)
    package func forEachRow(
        _ selection: RowSelection,
        secrets: Bool,
        _ body: (StoredRow) throws(StatusError) -> Bool
    ) throws(StatusError) {
        try connection.run(selection.sql) { statement throws(StatusError) in
            try statement.bind(secrets ? 1 : 0, at: 1)
            try selection.bind(to: statement)
            while try statement.step() {
                guard try body(statement.storedRow()) else { return }
            }
        }
    }

    /// Calls the closure with the row of an item; returns `nil` if no row has this identity.
    ///
    /// This reads only the columns that decrypting the value needs, because SQLite copies every blob that it
    /// returns.
    @inline(__always)
    func withValue<Result>(
        of identity: ItemIdentity,
        _ body: (ValueRow) throws(StatusError) -> Result
    ) throws(StatusError) -> Result? {
        try connection.run(.valueByIdentity) { statement throws(StatusError) in
            try statement.bind(identity.bytes, at: 1)
            return try statement.step() ? try body(statement.valueRow()) : nil
        }
    }

    package func row(_ selection: RowSelection, secrets: Bool) throws(StatusError) -> StoredRow? {
        try connection.run(selection.sql) { statement throws(StatusError) in
            try statement.bind(secrets ? 1 : 0, at: 1)
            try selection.bind(to: statement)
            return try statement.step() ? statement.storedRow() : nil
        }
    }

    /// Returns whether all rows that the attribute index lists for a digest are among the given ones.
    package func rows(with entry: IndexEntries.Entry, areAmong numbers: [Int64]) throws(StatusError) -> Bool {
        try connection.run(.numbersByDigest) { statement throws(StatusError) in
            try statement.bind(entry.key, at: 1)
            while try statement.step() {
                guard numbers.contains(statement.number(0)) else { return false }
            }
            return true
        }
    }

    /// Returns the digests of the access groups that have rows.
    package func accessGroups() throws(StatusError) -> [Bytes8] {
        var groups: [Bytes8] = []
        while let next = try identity(after: groups.last.map { IdentityRange(group: $0).last }) {
            groups.append(next.accessGroup)
        }
        return groups
    }

    /// Returns each combination of access group and class that has rows.
    package func classesByGroup() throws(StatusError) -> [(group: Bytes8, itemClass: ItemClass)] {
        var pairs: [(group: Bytes8, itemClass: ItemClass)] = []
        var last: Bytes32?
        while let next = try identity(after: last) {
            pairs.append((next.accessGroup, next.itemClass))
            last = IdentityRange(group: next.accessGroup, next.itemClass).last
        }
        return pairs
    }

    private func identity(after last: Bytes32?) throws(StatusError) -> ItemIdentity? {
        try connection.run(.nextIdentity) { statement throws(StatusError) in
            try statement.bind(last?.bytes ?? [], at: 1)
            guard try statement.step() else { return nil }
            guard let identity = statement.bytes32(0).flatMap(ItemIdentity.init) else {
                throw StatusError(.undecodable, .recordDamaged)
            }
            return identity
        }
    }

    /// Returns the number of rows: items and tombstones.
    package func rowCount() throws(StatusError) -> UInt64 { try UInt64(connection.number(.rowCount)) }

    /// Returns the row numbers of a group and class, read from the table without an index.
    package func memberNumbers(of itemClass: ItemClass, in group: Bytes8) throws(StatusError) -> [Int64] {
        try connection.run(.memberNumbers) { statement throws(StatusError) in
            try statement.bind(group.bytes + [itemClass.rawValue], at: 1)
            var numbers: [Int64] = []
            while try statement.step() { numbers.append(statement.number(0)) }
            return numbers
        }
    }

    package func itemCount(in group: Bytes8) throws(StatusError) -> UInt64 {
        let range = IdentityRange(group: group)
        return try connection.run(.itemCount) { statement throws(StatusError) in
            try statement.bind(range.first, at: 1)
            try statement.bind(range.last, at: 2)
            return try statement.step() ? UInt64(clamping: statement.number(0)) : 0
        }
    }

    /// Returns the row number and a random tag for the next row to insert.
    package func nextItem() throws(StatusError) -> Bytes16 {
        let version = connection.contentVersion
        if lastNumber.version != version {
            lastNumber = (UInt64(clamping: try connection.number(.lastNumber)), version)
        }
        let (number, overflow) = lastNumber.value.addingReportingOverflow(1)
        guard !overflow, number <= Int64.max else { throw StatusError(.diskFull, .database) }
        return Bytes16(Bytes8(number), .random())
    }

    /// Inserts a row.
    ///
    /// - Throws: `duplicateItem` if another row has the same access group, class and primary key.
    package func insert(_ row: ItemRow) throws(StatusError) {
        guard let number = row.columns.number else { throw StatusError(.undecodable, .recordDamaged) }
        try connection.run(.itemInsert) { statement throws(StatusError) in
            try statement.bind(number, at: 1)
            try statement.bind(row.columns.tag, at: 2)
            try statement.bind(row.columns.identity.bytes, at: 3)
            try statement.bindContent(of: row)
            _ = try statement.step()
        }
        lastNumber.value = max(lastNumber.value, UInt64(clamping: number))
        try change(.indexInsert, IndexEntries.keys(in: row.columns.digests), of: number)
    }

    /// Replaces a row with a changed or re-encrypted row of the same item.
    ///
    /// - Throws: `duplicateItem` if another row has the new access group, class and primary key.
    package func replace(_ old: StoredRow, with row: ItemRow) throws(StatusError) {
        let keepsIdentity = old.row.columns.identity == row.columns.identity
        try connection.run(keepsIdentity ? .itemReseal : .itemUpdate) { statement throws(StatusError) in
            try statement.bind(old.number, at: 1)
            if !keepsIdentity { try statement.bind(row.columns.identity.bytes, at: 3) }
            try statement.bindContent(of: row)
            _ = try statement.step()
        }
        // Most changes keep the searchable attributes, so the index usually remains as it is.
        guard old.row.columns.digests != row.columns.digests else { return }
        try change(.indexDelete, IndexEntries.keys(in: old.row.columns.digests), of: old.number)
        try change(.indexInsert, IndexEntries.keys(in: row.columns.digests), of: old.number)
    }

    package func delete(_ stored: StoredRow) throws(StatusError) {
        // The deleted row may have had the largest number, so the next insertion must query that number again.
        lastNumber.version = nil
        try connection.run(.itemDelete) { statement throws(StatusError) in
            try statement.bind(stored.number, at: 1)
            _ = try statement.step()
        }
        try change(.indexDelete, IndexEntries.keys(in: stored.row.columns.digests), of: stored.number)
    }

    private func change(_ sql: SQL, _ keys: [[UInt8]], of number: Int64) throws(StatusError) {
        for key in keys {
            try connection.run(sql) { statement throws(StatusError) in
                try statement.bind(key, at: 1)
                try statement.bind(number, at: 2)
                _ = try statement.step()
            }
        }
    }
}

extension ItemStore {
    /// Calls the closure with unencrypted columns of each synchronizable row, tombstones included.
    package func forEachSynchronizable(_ body: (SynchronizedRow) -> Void) throws(StatusError) {
        try connection.run(.synchronizable) { statement throws(StatusError) in
            while try statement.step() { body(try statement.synchronizedRow()) }
        }
    }

    /// Calls the closure with the number and content of each row of the table `page` in a range.
    package func forEachPage(
        in range: ClosedRange<Int64>,
        _ body: (Int64, [UInt8]) throws(StatusError) -> Void
    ) throws(StatusError) {
        try connection.run(.pagesInRange) { statement throws(StatusError) in
            try statement.bind(range.lowerBound, at: 1)
            try statement.bind(range.upperBound, at: 2)
            while try statement.step() { try body(statement.number(0), statement.bytes(1)) }
        }
    }
}

/// The identities from `first` to `last`, which have a common prefix.
private struct IdentityRange {
    let first: Bytes32
    let last: Bytes32

    init(group: Bytes8, _ itemClass: ItemClass? = nil, firstDigestBytes digest: ClosedRange<UInt8>? = nil) {
        var prefix = group.bytes
        if let itemClass { prefix.append(itemClass.rawValue) }
        first = Self.identity(prefix + (digest.map { [$0.lowerBound] } ?? []), filledWith: 0x00)
        last = Self.identity(prefix + (digest.map { [$0.upperBound] } ?? []), filledWith: 0xff)
    }

    private static func identity(_ prefix: [UInt8], filledWith filler: UInt8) -> Bytes32 {
        unsafe Bytes32 { target in
            for index in 0..<Bytes32.count {
                unsafe target[index] = index < prefix.count ? prefix[index] : filler
            }
        }
    }
}

extension RowSelection {
    fileprivate var sql: SQL {
        switch self {
        case .identity: .itemByIdentity
        case .item: .itemByNumber
        case .digest: .itemsByDigest
        case .group: .itemsByIdentityRange
        case .bucket, .all: .itemsOfIdentityRange
        case .protection: .itemsByProtection
        case .number: .itemByRowNumber
        }
    }

    fileprivate func bind(to statement: borrowing Statement) throws(StatusError) {
        switch self {
        case .identity(let identity): try statement.bind(identity.bytes, at: 2)
        case .item(let item):
            // Row 0 does not exist, because row numbers start at 1.
            try statement.bind(Int64(exactly: item.firstHalf.number) ?? 0, at: 2)
            try statement.bind(item.secondHalf, at: 3)
        case .digest(let entry): try statement.bind(entry.key, at: 2)
        case .group(let group, let itemClass):
            try statement.bind(IdentityRange(group: group, itemClass), at: 2)
        case .bucket(let bucket, let group, let itemClass):
            let range = IdentityRange(group: group, itemClass, firstDigestBytes: bucket.digestBytes)
            try statement.bind(range, at: 2)
        case .all:
            try statement.bind([UInt8](repeating: 0x00, count: Bytes32.count), at: 2)
            try statement.bind([UInt8](repeating: 0xff, count: Bytes32.count), at: 3)
        case .protection(let protection): try statement.bind(Int64(protection.rawValue), at: 2)
        case .number(let number): try statement.bind(number, at: 2)
        }
    }
}

/// The column `flags`, lowest bits first: `protection class 4 bits | synchronizable 1 | tombstone 1 | key parity 1`.
private struct RowFlags {
    let protection: ProtectionClass
    let synchronizable: Bool
    let tombstone: Bool
    let keyParity: KeyParity

    private static let synchronizableBit: Int64 = 1 << 4
    private static let tombstoneBit: Int64 = 1 << 5

    init(_ columns: ItemColumns) {
        protection = columns.protection
        synchronizable = columns.synchronizable
        tombstone = columns.tombstone
        keyParity = columns.keyParity
    }

    init?(_ number: Int64) {
        guard 0..<1 << 7 ~= number, let protection = ProtectionClass(rawValue: UInt8(number & 0xf)) else {
            return nil
        }
        self.protection = protection
        synchronizable = number & Self.synchronizableBit != 0
        tombstone = number & Self.tombstoneBit != 0
        keyParity = number & Int64(ClassKeyID.parityBit) == 0 ? .even : .odd
    }

    var number: Int64 {
        Int64(ClassKeyID(protection, keyParity).code) | (synchronizable ? Self.synchronizableBit : 0)
            | (tombstone ? Self.tombstoneBit : 0)
    }
}

extension Statement {
    /// Decodes the columns that decrypting a value needs.
    fileprivate func valueRow() throws(StatusError) -> ValueRow {
        guard let number = UInt64(exactly: number(0)), let tag = bytes8(1),
            let version = UInt64(exactly: self.number(2)),
            let flags = RowFlags(self.number(3))
        else { throw StatusError(.undecodable, .recordDamaged) }
        return unsafe ValueRow(
            item: Bytes16(Bytes8(number), tag),
            version: version,
            protection: flags.protection,
            synchronizable: flags.synchronizable,
            tombstone: flags.tombstone,
            keyParity: flags.keyParity,
            record: blob(4)
        )
    }

    /// Decodes a row, and checks that every number is valid.
    fileprivate func storedRow() throws(StatusError) -> StoredRow {
        guard let number = UInt64(exactly: number(0)), let tag = bytes8(1),
            let identity = bytes32(2).flatMap(ItemIdentity.init),
            let version = UInt64(exactly: self.number(3)),
            let flags = RowFlags(self.number(4))
        else { throw StatusError(.undecodable, .recordDamaged) }
        let columns = ItemColumns(
            item: Bytes16(Bytes8(number), tag),
            identity: identity,
            version: version,
            protection: flags.protection,
            synchronizable: flags.synchronizable,
            tombstone: flags.tombstone,
            digests: bytes(5),
            keyParity: flags.keyParity
        )
        return StoredRow(
            number: self.number(0),
            row: ItemRow(columns: columns, attributes: bytes(6), secret: isNull(7) ? nil : bytes(7))
        )
    }

    fileprivate func synchronizedRow() throws(StatusError) -> SynchronizedRow {
        guard let number = UInt64(exactly: number(0)), let tag = bytes8(1),
            let identity = bytes32(2).flatMap(ItemIdentity.init),
            let version = UInt64(exactly: self.number(3)),
            let flags = RowFlags(self.number(4))
        else { throw StatusError(.undecodable, .recordDamaged) }
        return SynchronizedRow(
            item: Bytes16(Bytes8(number), tag),
            identity: identity,
            version: version,
            protection: flags.protection,
            isTombstone: flags.tombstone
        )
    }

    /// Binds the columns that every insertion or change writes to the parameters 4 to 8.
    fileprivate func bindContent(of row: ItemRow) throws(StatusError) {
        try bind(Int64(clamping: row.columns.version), at: 4)
        try bind(RowFlags(row.columns).number, at: 5)
        try bind(row.columns.digests, at: 6)
        try bind(row.attributes, at: 7)
        try bind(row.secret, at: 8)
    }

    /// Binds the first and last identity of a range to two consecutive parameters.
    fileprivate func bind(_ range: IdentityRange, at index: CInt) throws(StatusError) {
        try bind(range.first, at: index)
        try bind(range.last, at: index + 1)
    }
}
