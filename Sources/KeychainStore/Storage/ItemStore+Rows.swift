// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// A row and the number under which the database keeps it.
package struct StoredRow: Sendable {
    package let number: Int64
    package let row: ItemRow
}

/// Which rows to read.
package enum RowSelection: Sendable {
    case identity(Bytes32)
    case item(Bytes16)
    case index(Attribute, Bytes16)
    case group(Bytes16, ItemClass)
    /// The rows whose identity begins with a byte.
    case bucket(UInt8)
    case protection(ProtectionClass)
}

extension ItemStore {
    /// Hands each selected row to the closure until it answers false; `secrets` says whether values are read too.
    // Inlined into its callers, it makes the optimizer of Swift 6.3.1 fail ("Found ownership error").
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

    /// The first selected row; `nil` where there is none.
    package func row(_ selection: RowSelection, secrets: Bool) throws(StatusError) -> StoredRow? {
        try connection.run(selection.sql) { statement throws(StatusError) in
            try statement.bind(secrets ? 1 : 0, at: 1)
            try selection.bind(to: statement)
            return try statement.step() ? statement.storedRow() : nil
        }
    }

    /// The digests of the access groups that have items.
    package func accessGroups() throws(StatusError) -> [Bytes16] {
        var groups: [Bytes16] = []
        while true {
            let next = try connection.run(.nextGroup) { statement throws(StatusError) -> Bytes16? in
                try statement.bind(groups.last?.bytes ?? [], at: 1)
                return try statement.step() ? statement.bytes16(0) : nil
            }
            guard let next else { return groups }
            groups.append(next)
        }
    }

    /// The number of rows, items and tombstones together.
    package func rowCount() throws(StatusError) -> UInt64 {
        try connection.run(.rowCount) { statement throws(StatusError) in
            try statement.step() ? UInt64(clamping: statement.number(0)) : 0
        }
    }

    /// The rows of a class, in one group or in all, found without the index that leads to them.
    package func memberNumbers(of itemClass: ItemClass, in group: Bytes16?) throws(StatusError) -> [Int64] {
        try connection.run(.memberNumbers) { statement throws(StatusError) in
            try statement.bind(Int64(itemClass.rawValue), at: 1)
            try statement.bind(group?.bytes, at: 2)
            var numbers: [Int64] = []
            while try statement.step() { numbers.append(statement.number(0)) }
            return numbers
        }
    }

    /// Adds a row.
    ///
    /// - Throws: `duplicateItem` where the identity is taken.
    package func insert(_ row: ItemRow, index: [(Attribute, Bytes16)]) throws(StatusError) {
        try connection.run(.itemInsert) { statement throws(StatusError) in
            try statement.bind(row, inserting: true, keepingIdentity: false)
            _ = try statement.step()
        }
        try addIndex(index, of: connection.lastInsertedRow)
    }

    /// Puts a row in the place of another, whose index rows are given too.
    ///
    /// - Throws: `duplicateItem` where the new identity is taken.
    package func replace(
        _ old: StoredRow,
        with row: ItemRow,
        oldIndex: [(Attribute, Bytes16)],
        newIndex: [(Attribute, Bytes16)]
    ) throws(StatusError) {
        // The identity covers the access group and the synchronizable flag.
        let keepsIdentity = old.row.columns.identity == row.columns.identity
        try connection.run(keepsIdentity ? .itemReseal : .itemUpdate) { statement throws(StatusError) in
            try statement.bind(old.number, at: 1)
            try statement.bind(row, inserting: false, keepingIdentity: keepsIdentity)
            _ = try statement.step()
        }
        // Most changes leave the searchable attributes as they are.
        guard !oldIndex.elementsEqual(newIndex, by: ==) else { return }
        try removeIndex(oldIndex, of: old.number)
        try addIndex(newIndex, of: old.number)
    }

    package func delete(_ number: Int64, index: [(Attribute, Bytes16)]) throws(StatusError) {
        try connection.run(.itemDelete) { statement throws(StatusError) in
            try statement.bind(number, at: 1)
            _ = try statement.step()
        }
        try removeIndex(index, of: number)
    }

    private func addIndex(_ entries: [(Attribute, Bytes16)], of number: Int64) throws(StatusError) {
        for entry in entries { try change(.indexInsert, entry, number) }
    }

    private func removeIndex(_ entries: [(Attribute, Bytes16)], of number: Int64) throws(StatusError) {
        for entry in entries { try change(.indexDelete, entry, number) }
    }

    private func change(_ sql: SQL, _ entry: (Attribute, Bytes16), _ number: Int64) throws(StatusError) {
        try connection.run(sql) { statement throws(StatusError) in
            try statement.bind(Int64(entry.0.rawValue), at: 1)
            try statement.bind(entry.1, at: 2)
            try statement.bind(number, at: 3)
            _ = try statement.step()
        }
    }
}

extension RowSelection {
    fileprivate var sql: SQL {
        switch self {
        case .identity: .itemByIdentity
        case .item: .itemByUUID
        case .index: .itemsByIndex
        case .group: .itemsByGroup
        case .bucket: .itemsByIdentityRange
        case .protection: .itemsByProtection
        }
    }

    fileprivate func bind(to statement: borrowing Statement) throws(StatusError) {
        switch self {
        case .identity(let identity): try statement.bind(identity, at: 2)
        case .item(let item): try statement.bind(item, at: 2)
        case .index(let attribute, let digest):
            try statement.bind(Int64(attribute.rawValue), at: 2)
            try statement.bind(digest, at: 3)
        case .group(let group, let itemClass):
            try statement.bind(group, at: 2)
            try statement.bind(Int64(itemClass.rawValue), at: 3)
        case .protection(let protection): try statement.bind(Int64(protection.rawValue), at: 2)
        case .bucket(let first):
            try statement.bind([first] + Array(repeating: 0x00, count: Bytes32.count - 1), at: 2)
            try statement.bind([first] + Array(repeating: 0xff, count: Bytes32.count - 1), at: 3)
        }
    }
}

extension Statement {
    /// Reads a row; every number is checked against what it may be.
    fileprivate func storedRow() throws(StatusError) -> StoredRow {
        guard let item = bytes16(1), let itemClass = ItemClass(rawValue: UInt8(clamping: number(2))),
            let version = UInt64(exactly: number(3)), let group = bytes16(4),
            let protection = ProtectionClass(rawValue: UInt8(clamping: number(5))),
            let synchronizable = flag(6), let tombstone = flag(7), let identity = bytes32(8)
        else { throw StatusError(.undecodable, .recordDamaged) }
        let columns = ItemColumns(
            item: item,
            itemClass: itemClass,
            version: version,
            accessGroup: group,
            protection: protection,
            synchronizable: synchronizable,
            tombstone: tombstone,
            identity: identity,
            digests: bytes(9)
        )
        return StoredRow(
            number: number(0),
            row: ItemRow(columns: columns, attributes: bytes(10), secret: isNull(11) ? nil : bytes(11))
        )
    }

    private func flag(_ column: CInt) -> Bool? {
        switch number(column) {
        case 0: false
        case 1: true
        default: nil
        }
    }

    /// Binds the columns of a row to parameters 2 to 12, without those that the statement does not have.
    fileprivate func bind(
        _ row: ItemRow,
        inserting: Bool,
        keepingIdentity: Bool
    ) throws(StatusError) {
        let columns = row.columns
        if inserting {
            try bind(columns.item, at: 2)
            try bind(Int64(columns.itemClass.rawValue), at: 3)
        }
        if !keepingIdentity {
            try bind(columns.accessGroup, at: 5)
            try bind(columns.synchronizable ? 1 : 0, at: 7)
            try bind(columns.identity, at: 9)
        }
        try bind(Int64(clamping: columns.version), at: 4)
        try bind(Int64(columns.protection.rawValue), at: 6)
        try bind(columns.tombstone ? 1 : 0, at: 8)
        try bind(columns.digests, at: 10)
        try bind(row.attributes, at: 11)
        try bind(row.secret, at: 12)
    }
}
