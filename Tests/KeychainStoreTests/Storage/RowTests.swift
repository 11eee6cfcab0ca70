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

    /// Creates forty rows of two groups and two classes; all are indexed by account, some by label.
    init() throws {
        directory = try StoreDirectory()
        try directory.create()
        let store = try directory.open()
        let rows = try (UInt8(1)...40).map { seed in
            try row(seed, group: 1 + seed % 2, itemClass: seed <= 30 ? .genericPassword : .internetPassword)
        }
        try store.write { () throws(StatusError) in
            for row in rows { try store.insert(row) }
        }
        (self.store, self.rows) = (store, rows)
    }

    private static func account(_ row: ItemRow) -> RowSelection {
        .digest(IndexEntries.Entry(attribute: .account, digest: row.columns.tag))
    }

    private static func label(_ seed: UInt8) -> RowSelection {
        .digest(IndexEntries.Entry(attribute: .label, digest: digest8(seed)))
    }

    private static let allBuckets: [RowSelection] = Bucket.all.flatMap { bucket in
        [UInt8(1), 2].flatMap { group in
            [ItemClass.genericPassword, .internetPassword].map { .bucket(bucket, digest8(group), $0) }
        }
    }

    @Test func `a row is returned unchanged by all selections`() throws {
        for row in rows {
            #expect(try store.row(.identity(row.columns.identity), secrets: true)?.row == row)
            #expect(try store.row(.item(row.columns.item), secrets: true)?.row == row)
            #expect(try store.rows(Self.account(row)).map(\.row) == [row])
            let columns = row.columns
            let bucket = try store.rows(
                .bucket(columns.identity.bucket, columns.accessGroup, columns.itemClass)
            )
            #expect(bucket.map(\.row).contains(row))
        }
        let absent = try row(99).columns
        #expect(try store.row(.identity(absent.identity), secrets: true) == nil)
        #expect(try store.row(.item(absent.item), secrets: true) == nil)
        // An item identifier consists of the row number and a tag, and both must match.
        #expect(
            try store.row(.item(Bytes16(rows[0].columns.item.firstHalf, absent.tag)), secrets: true) == nil
        )
        #expect(
            try store.rows(.bucket(absent.identity.bucket, absent.accessGroup, absent.itemClass)).isEmpty
        )
    }

    @Test func `a value is read only on request`() throws {
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
    func `a group's rows of a class are returned in insertion order`(
        group: UInt8,
        itemClass: ItemClass,
        count: Int
    ) throws {
        let found = try store.rows(.group(digest8(group), itemClass)).map(\.row)
        let expected = rows.filter { [group] in
            $0.columns.itemClass == itemClass && $0.columns.accessGroup.bytes.first == group
        }
        #expect(found.count == count)
        #expect(found == expected)
    }

    @Test func `the groups that have items are returned`() throws {
        #expect(try store.accessGroups() == [digest8(1), digest8(2)])
        let pairs = try store.classesByGroup().map { "\($0.group.bytes[0]) \($0.itemClass.name)" }
        #expect(pairs == ["1 genp", "1 inet", "2 genp", "2 inet"])
    }

    @Test func `each row is in exactly one bucket`() throws {
        let found = try Self.allBuckets.flatMap { try store.rows($0) }.map(\.row)
        #expect(found.count == rows.count)
        #expect(Set(found) == Set(rows))
        #expect(try Set(store.rows(.all).map(\.row)) == Set(rows))
    }

    @Test func `identities and row numbers are unique, and a duplicate leaves nothing behind`() throws {
        let taken = [
            (try row(50).with(\.columns.identity, rows[3].columns.identity), Status.duplicateItem),
            (try row(50).with(\.columns.item, rows[3].columns.item), Status.notAvailable),
        ]
        for (changed, status) in taken {
            let error = #expect(throws: StatusError.self) {
                try store.write { () throws(StatusError) in try store.insert(changed) }
            }
            #expect(error?.status == status)
        }
        #expect(try directory.sql("SELECT count(*) FROM item") == ["40"])
        #expect(try directory.sql("SELECT count(*) FROM item_index") == ["49"])
    }

    @Test func `the index is updated by changes and deletions`() throws {
        let old = try #require(try store.row(.identity(rows[0].columns.identity), secrets: true))
        let digests = [Attribute.label.rawValue] + bytes(77, count: 8)
        let changed = old.row.with(\.columns.version, 2).with(\.attributes, [9]).with(\.secret, nil)
            .with(\.columns.digests, digests)
        try store.write { () throws(StatusError) in try store.replace(old, with: changed) }
        #expect(try store.rows(Self.account(old.row)).isEmpty)
        let new = try #require(try store.rows(Self.label(77)).first)
        #expect(new.row == changed)
        #expect(try store.rows(Self.label(2)).count == 4)
        try store.write { () throws(StatusError) in try store.delete(new) }
        #expect(try store.rows(Self.label(77)).isEmpty)
        #expect(try store.row(.item(old.row.columns.item), secrets: true) == nil)
        #expect(try directory.sql("SELECT count(*) FROM item_index WHERE item = \(old.number)") == ["0"])
    }

    @Test func `a row can change its identity, but not to an existing one`() throws {
        let old = try #require(try store.row(.identity(rows[0].columns.identity), secrets: true))
        let identity = ItemIdentity(.genericPassword, in: digest8(3), digest: try digest32(88))
        let moved = old.row.with(\.columns.identity, identity).with(\.columns.synchronizable, true)
        try store.write { () throws(StatusError) in try store.replace(old, with: moved) }
        #expect(try store.row(.item(moved.columns.item), secrets: true)?.row == moved)
        #expect(try store.row(.identity(old.row.columns.identity), secrets: true) == nil)
        let taken = moved.with(\.columns.identity, rows[1].columns.identity)
        let error = #expect(throws: StatusError.self) {
            try store.write { () throws(StatusError) in try store.replace(old, with: taken) }
        }
        #expect(error?.status == .duplicateItem)
        #expect(try store.row(.item(moved.columns.item), secrets: true)?.row == moved)
    }

    /// SQL assignments of values that no keychain writes to a column.
    @Test(arguments: [
        "version = -1", "flags = 0", "flags = 8", "flags = 131", "flags = -9", "tag = zeroblob(9)",
        "identity = x'01'", "identity = zeroblob(32)",
        "identity = CAST(substr(identity, 1, 8) || x'06' || substr(identity, 10) AS BLOB)",
    ])
    func `an invalid column value is damage`(assignment: String) throws {
        _ = try directory.sql("UPDATE item SET \(assignment) WHERE id = 7")
        #expect(throws: StatusError(.undecodable, .recordDamaged)) {
            _ = try store.rows(.all)
            _ = try store.row(.item(rows[6].columns.item), secrets: false)
        }
        #expect(try store.row(.item(rows[7].columns.item), secrets: true)?.row == rows[7])
    }

    @Test(arguments: [0, 1, 100_000, 5_000_000])
    func `a value of any size is returned`(count: Int) throws {
        let large = try row(60).with(\.secret, bytes(7, count: count))
        try store.write { () throws(StatusError) in try store.insert(large) }
        #expect(try directory.open().row(.item(large.columns.item), secrets: true)?.row == large)
    }

    @Test func `a value that is too large for SQLite is an error, and the old one stays`() throws {
        let old = try #require(try store.row(.item(rows[1].columns.item), secrets: true))
        // The buffer's memory is never touched, so the kernel does not allocate it.
        let huge = [UInt8](unsafeUninitializedCapacity: 1_000_000_001) { $1 = 1_000_000_001 }
        #expect(throws: StatusError(.dataTooLarge, code: SQLITE_TOOBIG)) {
            try store.write { () throws(StatusError) in
                try store.replace(old, with: old.row.with(\.secret, huge))
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
