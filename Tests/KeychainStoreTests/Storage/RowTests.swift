// SPDX-License-Identifier: Apache-2.0

import CKeychainSQLite
import Foundation
import KeychainModel
import Testing

@testable import KeychainStore

@Suite struct RowTests {
    let directory: StoreDirectory
    let store: ItemStore
    let rows: [ItemRow]

    /// Forty rows of two groups and two classes; each is in the index under its account, some under a label.
    init() throws {
        directory = try StoreDirectory()
        try directory.create()
        let store = try directory.open()
        let rows = try (UInt8(1)...40).map { seed in
            try row(seed, group: 1 + seed % 2, itemClass: seed <= 30 ? .genericPassword : .internetPassword)
        }
        try store.write { () throws(StatusError) in
            for row in rows { try store.insert(row, index: Self.index(of: row)) }
        }
        (self.store, self.rows) = (store, rows)
    }

    private static func index(of row: ItemRow) -> [(Attribute, Bytes16)] {
        let account: (Attribute, Bytes16) = (.account, row.columns.item)
        return row.columns.version < 10 ? [account, (.label, row.columns.accessGroup)] : [account]
    }

    @Test func `a row comes back as it was, found by each of its names`() throws {
        for row in rows {
            #expect(try store.row(.identity(row.columns.identity), secrets: true)?.row == row)
            #expect(try store.row(.item(row.columns.item), secrets: true)?.row == row)
            #expect(try store.rows(.index(.account, row.columns.item)).map(\.row) == [row])
            #expect(try store.rows(.bucket(row.columns.identity.leadingByte)).map(\.row) == [row])
        }
        #expect(try store.row(.identity(digest32(99)), secrets: true) == nil)
        #expect(try store.row(.item(digest16(99)), secrets: true) == nil)
        #expect(try store.rows(.bucket(99)).isEmpty)
    }

    @Test func `a value is read only where it is wanted`() throws {
        for row in rows {
            let found = try #require(try store.row(.identity(row.columns.identity), secrets: false)).row
            #expect(found.secret == nil)
            #expect(found.columns == row.columns)
            #expect(found.attributes == row.attributes)
        }
    }

    static let groups: [(UInt8, ItemClass, Int)] = [
        (1, ItemClass.genericPassword, 15), (2, .genericPassword, 15), (1, .internetPassword, 5),
        (3, .key, 0),
    ]

    @Test(arguments: groups)
    func `a group's rows of a class are found`(group: UInt8, itemClass: ItemClass, count: Int) throws {
        let found = try store.rows(.group(digest16(group), itemClass)).map(\.row)
        let expected = rows.filter { [group] in
            $0.columns.itemClass == itemClass && $0.columns.accessGroup.bytes.first == group
        }
        #expect(found.count == count)
        #expect(Set(found) == Set(expected))
    }

    @Test func `the groups that have items are known`() throws {
        #expect(try store.accessGroups() == [digest16(1), digest16(2)])
    }

    @Test func `the buckets hold every row once`() throws {
        let found = try (UInt8.min...UInt8.max).flatMap { try store.rows(.bucket($0)) }
        #expect(found.map(\.row) == rows)
    }

    @Test func `an identity and an identifier are taken once, and a refusal leaves nothing`() throws {
        for changed in [
            try row(50).with(\.columns.identity, rows[3].columns.identity),
            try row(50).with(\.columns.item, rows[3].columns.item),
        ] {
            let error = #expect(throws: StatusError.self) {
                try store.write { () throws(StatusError) in
                    try store.insert(changed, index: Self.index(of: changed))
                }
            }
            #expect(error?.status == .duplicateItem)
        }
        #expect(try directory.sql("SELECT count(*) FROM item") == ["40"])
        #expect(try directory.sql("SELECT count(*) FROM item_index") == ["49"])
    }

    @Test func `the index follows a change and a deletion`() throws {
        let old = try #require(try store.row(.identity(rows[0].columns.identity), secrets: true))
        let label: (Attribute, Bytes16) = (.label, try digest16(77))
        let changed = old.row.with(\.columns.version, 2).with(\.attributes, [9]).with(\.secret, nil)
        try store.write { () throws(StatusError) in
            try store.replace(old, with: changed, oldIndex: Self.index(of: old.row), newIndex: [label])
        }
        #expect(try store.rows(.index(.account, old.row.columns.item)).isEmpty)
        #expect(try store.rows(.index(.label, label.1)).map(\.row) == [changed])
        #expect(try store.rows(.index(.label, old.row.columns.accessGroup)).count == 4)
        try store.write { () throws(StatusError) in try store.delete(old.number, index: [label]) }
        #expect(try store.rows(.index(.label, label.1)).isEmpty)
        #expect(try store.row(.item(old.row.columns.item), secrets: true) == nil)
        #expect(try directory.sql("SELECT count(*) FROM item_index WHERE item = \(old.number)") == ["0"])
    }

    @Test func `a row can take another identity, but not one that is taken`() throws {
        let old = try #require(try store.row(.identity(rows[0].columns.identity), secrets: true))
        let moved = old.row.with(\.columns.identity, try digest32(88)).with(
            \.columns.accessGroup,
            try digest16(3)
        )
        .with(\.columns.synchronizable, true)
        try store.write { () throws(StatusError) in
            try store.replace(old, with: moved, oldIndex: [], newIndex: [])
        }
        #expect(try store.row(.item(moved.columns.item), secrets: true)?.row == moved)
        #expect(try store.row(.identity(old.row.columns.identity), secrets: true) == nil)
        let taken = moved.with(\.columns.identity, rows[1].columns.identity)
        let error = #expect(throws: StatusError.self) {
            try store.write { () throws(StatusError) in
                try store.replace(old, with: taken, oldIndex: [], newIndex: [])
            }
        }
        #expect(error?.status == .duplicateItem)
        #expect(try store.row(.item(moved.columns.item), secrets: true)?.row == moved)
    }

    /// What no writer of ours puts into a column.
    @Test(arguments: [
        "class = 0", "class = 6", "class = 257", "version = -1", "protection = 0", "protection = 8",
        "protection = -9",
        "synchronizable = 2", "tombstone = -1", "access_group = x''", "identity = zeroblob(31)",
        "uuid = zeroblob(17)",
    ])
    func `a value that a column cannot have is damage`(assignment: String) throws {
        _ = try directory.sql("UPDATE item SET \(assignment) WHERE id = 7")
        #expect(throws: StatusError(.undecodable, .recordDamaged)) {
            for group in [UInt8(1), 2, 0] { _ = try store.rows(.group(digest16(group), .genericPassword)) }
            for bucket in UInt8.min...UInt8.max { _ = try store.rows(.bucket(bucket)) }
            _ = try store.row(.item(rows[6].columns.item), secrets: false)
        }
        #expect(try store.row(.item(rows[7].columns.item), secrets: true)?.row == rows[7])
    }

    @Test(arguments: [0, 1, 100_000, 5_000_000])
    func `a value of any size comes back`(count: Int) throws {
        let large = try row(60).with(\.secret, bytes(7, count: count))
        try store.write { () throws(StatusError) in try store.insert(large, index: []) }
        #expect(try directory.open().row(.item(large.columns.item), secrets: true)?.row == large)
    }

    @Test func `a value that SQLite does not take is an error, and the old one stays`() throws {
        let old = try #require(try store.row(.item(rows[1].columns.item), secrets: true))
        // Memory that nobody touches is none.
        let huge = [UInt8](unsafeUninitializedCapacity: 1_000_000_001) { $1 = 1_000_000_001 }
        #expect(throws: StatusError(.dataTooLarge, code: SQLITE_TOOBIG)) {
            try store.write { () throws(StatusError) in
                try store.replace(old, with: old.row.with(\.secret, huge), oldIndex: [], newIndex: [])
            }
        }
        #expect(try directory.open().row(.item(old.row.columns.item), secrets: true)?.row == old.row)
    }
}

extension ItemRow {
    func with<Value>(_ path: WritableKeyPath<Self, Value>, _ value: Value) -> Self {
        var row = self
        row[keyPath: path] = value
        return row
    }
}
