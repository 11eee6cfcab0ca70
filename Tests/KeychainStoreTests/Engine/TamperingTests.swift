// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import Testing

/// Stores modified with SQL: no wrong value is returned, and the unmodified items stay readable by primary key.
@Suite struct TamperingTests {
    /// Returns the SQL condition that selects the row of a sample.
    private func row(_ number: Int, of store: SampleStore) throws -> String {
        let reference = try store.open().find(SampleStore.samples[number].filter)[0].reference
        return "id = \(reference.item.firstHalf.number)"
    }

    /// Expects all samples except the damaged ones to be readable by primary key.
    private func expectOthersReadable(_ keychain: EmbeddedKeychain, but damaged: Set<Int>) throws {
        for (number, sample) in SampleStore.samples.enumerated() where !damaged.contains(number) {
            let items = try keychain.find(sample.filter)
            #expect(items.count == 1 && sample.matches(items[0]), "item \(number)")
        }
    }

    /// SQL assignments to one column; after each, reading the item fails.
    // swift-format-ignore
    static let columns: [String] = [
        "flags = flags | 32", "flags = 1", "flags = 99", "flags = 7", "flags = flags + 16 - 2 * (flags & 16)",
        "flags = flags | 64", "version = version + 1", "version = -1", "tag = zeroblob(8)", "tag = x'00'",
        "digests = x''", "digests = x'00'",
        "attributes = zeroblob(400)", "attributes = x''",
        "secret = NULL", "secret = zeroblob(125)", "secret = x''",
    ]

    @Test(arguments: columns)
    func `an edited column is detected by a lookup of the item`(assignment: String) throws {
        let store = try SampleStore()
        try store.sql("UPDATE item SET \(assignment) WHERE \(row(5, of: store))")
        let before = try store.contents()
        let keychain = try store.open()
        let error = #expect(throws: StatusError.self) { try keychain.find(SampleStore.samples[5].filter) }
        #expect(error?.status != .itemNotFound)
        #expect(error?.reason != nil)
        #expect(throws: StatusError.self) { try keychain.list(.genericPassword) }
        try expectOthersReadable(keychain, but: [5])
        #expect(try store.contents() == before)
    }

    @Test(arguments: ["flags = flags | 32", "flags = flags | 32, version = 9223372036854775807"])
    func `an item falsely marked as tombstone is not replaced`(assignment: String) throws {
        let store = try SampleStore()
        try store.sql("UPDATE item SET \(assignment) WHERE \(row(5, of: store))")
        let before = try store.contents()
        let keychain = try store.open()
        let sample = SampleStore.samples[5]
        let again = Request.add(
            NewItem(
                itemClass: .genericPassword,
                attributes: sample.attributes,
                secret: SecretBuffer("new".utf8)
            )
        )
        #expect(throws: StatusError(.undecodable, .recordDamaged)) {
            try keychain.perform(again, for: SampleStore.caller)
        }
        #expect(try store.contents() == before)
    }

    @Test func `a deleted row is detected by a lookup and by a list`() throws {
        let store = try SampleStore()
        try store.sql("DELETE FROM item WHERE \(row(5, of: store))")
        let keychain = try store.open()
        let mismatch = StatusError(.undecodable, .multisetHashMismatch)
        #expect(throws: mismatch) { try keychain.find(SampleStore.samples[5].filter) }
        #expect(throws: mismatch) { try keychain.list(.genericPassword) }
        #expect(throws: mismatch) { try keychain.list(.internetPassword) }
        try expectOthersReadable(keychain, but: [5])
    }

    @Test func `a row deleted while the store is open is detected`() throws {
        let store = try SampleStore()
        let keychain = try store.open()
        #expect(try keychain.list(.genericPassword).count == 24)
        let place = try row(5, of: store)
        try store.sql("DELETE FROM item WHERE \(place)")
        let mismatch = StatusError(.undecodable, .multisetHashMismatch)
        #expect(throws: mismatch) { try keychain.find(SampleStore.samples[5].filter) }
        #expect(throws: mismatch) { try keychain.list(.genericPassword) }
    }

    /// A write by another connection must not replace the authenticated multiset hash by that of the remaining rows.
    @Test func `a row deleted while the store is open is detected after other writes`() throws {
        let store = try SampleStore()
        let keychain = try store.open()
        #expect(try keychain.list(.genericPassword).count == 24)
        try store.sql("DELETE FROM item WHERE \(try row(5, of: store))")
        let change = UpdateRequest(filter: SampleStore.samples[6].filter, secret: SecretBuffer("newer".utf8))
        _ = try store.open().perform(.update(change), for: SampleStore.caller)
        let mismatch = StatusError(.undecodable, .multisetHashMismatch)
        #expect(throws: mismatch) { try keychain.find(SampleStore.samples[5].filter) }
        #expect(throws: mismatch) { try keychain.list(.genericPassword) }
        try expectOthersReadable(keychain, but: [5, 6])
    }

    @Test(arguments: ["attributes", "secret", "digests"])
    func `exchanging a column of two rows is detected`(column: String) throws {
        let store = try SampleStore()
        let (first, second) = (try row(5, of: store), try row(7, of: store))
        try store.sql(
            """
            CREATE TEMP TABLE kept AS SELECT \(column) AS kept FROM item WHERE \(first);
            UPDATE item SET \(column) = (SELECT \(column) FROM item WHERE \(second)) WHERE \(first);
            UPDATE item SET \(column) = (SELECT kept FROM kept) WHERE \(second)
            """
        )
        let keychain = try store.open()
        for number in [5, 7] {
            #expect(throws: StatusError(.undecodable, .recordDamaged)) {
                try keychain.find(SampleStore.samples[number].filter)
            }
        }
        #expect(throws: StatusError.self) { try keychain.list(.genericPassword) }
        try expectOthersReadable(keychain, but: [5, 7])
    }

    @Test func `exchanging the identities of two rows is detected`() throws {
        let store = try SampleStore()
        let (first, second) = (try row(5, of: store), try row(7, of: store))
        try store.sql(
            """
            CREATE TEMP TABLE kept AS SELECT identity AS a, (SELECT identity FROM item WHERE \(second)) AS b FROM item \
            WHERE \(first);
            UPDATE item SET identity = randomblob(32) WHERE \(first);
            UPDATE item SET identity = (SELECT a FROM kept) WHERE \(second);
            UPDATE item SET identity = (SELECT b FROM kept) WHERE \(first)
            """
        )
        let keychain = try store.open()
        for number in [5, 7] {
            #expect(throws: StatusError(.undecodable, .recordDamaged)) {
                try keychain.find(SampleStore.samples[number].filter)
            }
        }
        try expectOthersReadable(keychain, but: [5, 7])
    }

    @Test func `a duplicated row is detected by a list`() throws {
        let store = try SampleStore()
        try store.sql(
            """
            INSERT INTO item SELECT NULL, tag, CAST(substr(identity, 1, 9) || randomblob(23) AS BLOB), version, flags, \
            digests, attributes, secret FROM item WHERE \(row(5, of: store))
            """
        )
        let keychain = try store.open()
        #expect(throws: StatusError(.undecodable, .multisetHashMismatch)) {
            try keychain.list(.genericPassword)
        }
        try expectOthersReadable(keychain, but: [])
    }

    @Test func `a rolled back row is detected by a list`() throws {
        let store = try SampleStore()
        let place = try row(5, of: store)
        let old = try store.sql("SELECT version, attributes, secret FROM item WHERE \(place)")[0]
        let update = UpdateRequest(filter: SampleStore.samples[5].filter, secret: SecretBuffer("newer".utf8))
        _ = try store.open().perform(.update(update), for: SampleStore.caller)
        let hex = old.dropFirst().map {
            $0?.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() ?? ""
        }
        try store.sql(
            "UPDATE item SET version = 1, attributes = x'\(hex[0])', secret = x'\(hex[1])' WHERE \(place)"
        )
        let keychain = try store.open()
        #expect(throws: StatusError(.undecodable, .multisetHashMismatch)) {
            try keychain.list(.genericPassword)
        }
        try expectOthersReadable(keychain, but: [5])
    }

    @Test func `removed index rows hide no item from a lookup or a list`() throws {
        let store = try SampleStore()
        try store.sql("DELETE FROM item_index")
        let keychain = try store.open()
        try expectOthersReadable(keychain, but: [])
        #expect(try keychain.list(.genericPassword).count == 24)
    }

    @Test func `an index row for another item finds no wrong item`() throws {
        let store = try SampleStore()
        try store.sql("UPDATE OR IGNORE item_index SET item = item + 1")
        let keychain = try store.open()
        var attributes = Attributes()
        attributes[.service] = .string("service 1")
        let filter = ItemFilter(itemClass: .genericPassword, attributes: attributes, synchronizable: .any)
        do throws(StatusError) {
            for item in try keychain.find(filter, limit: .all) {
                #expect(item.attributes[.service] == .string("service 1"))
            }
        } catch {
            #expect(error.status == .itemNotFound || error.reason != nil)
        }
        try expectOthersReadable(keychain, but: [])
    }

    /// Deleting a row with SQL leaves its rows in the attribute index, which must not affect new items.
    @Test func `an item can be added despite orphaned index rows`() throws {
        let store = try SampleStore()
        let last = SampleStore.samples.count - 1
        try store.sql("DELETE FROM item WHERE \(row(last, of: store))")
        let sample = SampleStore.samples[last]
        let keychain = try store.open()
        let item = NewItem(itemClass: .internetPassword, attributes: sample.attributes, secret: sample.secret)
        do throws(StatusError) {
            _ = try keychain.perform(.add(item), for: SampleStore.caller)
            #expect(try keychain.find(sample.filter).count == 1)
        } catch {
            #expect(error.status != .duplicateItem)
            #expect(error.reason != nil)
        }
    }

    /// SQL that makes the schema unreadable for SQLite, as the schema of a newer SQLite may be.
    private static let unreadableSchema =
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE page (' WHERE name = 'page'"

    /// SQL statements that change the header, the keybag, the schema or the format numbers, each with the reason why
    /// the store then cannot be opened.
    static let pages: [(String, Reason)] = [
        ("UPDATE page SET content = x'' WHERE id = 0", Reason.headerDamaged),
        ("DELETE FROM page WHERE id = 0", .headerDamaged),
        ("DELETE FROM page WHERE id = 1", .keybagDamaged),
        ("UPDATE page SET content = zeroblob(508) WHERE id = 1", .keybagDamaged),
        ("UPDATE page SET content = (SELECT content FROM page WHERE id = 0) WHERE id = 1", .keybagDamaged),
        ("CREATE TABLE more (a)", .databaseDamaged),
        ("CREATE INDEX more ON item (version)", .databaseDamaged),
        ("DROP TABLE item_index", .databaseDamaged),
        ("CREATE VIEW v AS SELECT 1", .databaseDamaged),
        ("DROP TABLE item", .databaseDamaged),
        ("PRAGMA user_version = 5", .databaseNewer),
        ("PRAGMA user_version = 3", .earlierFormat),
        ("PRAGMA user_version = 2", .earlierFormat),
        ("PRAGMA user_version = 1", .earlierFormat),
        ("PRAGMA user_version = 0", .databaseDamaged),
        ("PRAGMA user_version = -1", .databaseDamaged),
        ("PRAGMA application_id = 1", .databaseForeign),
        (unreadableSchema, .databaseDamaged),
        ("PRAGMA user_version = 5; " + unreadableSchema, .databaseNewer),
        ("PRAGMA application_id = 1; " + unreadableSchema, .databaseForeign),
        (header(at: 4, "0500"), .databaseNewer),
        (header(at: 4, "0300"), .earlierFormat),
        (header(at: 4, "0200"), .earlierFormat),
        (header(at: 32, "01000000"), .databaseNewer),
        (header(at: 28, "01000000"), .headerDamaged),
        (header(at: 8, "00"), .deviceKeyForeign),
    ]

    @Test(arguments: pages)
    func `a changed page is detected when the store is opened`(statement: String, reason: Reason) throws {
        let store = try SampleStore()
        try store.sql(statement)
        let before = try store.contents()
        let error = #expect(throws: StatusError.self) { try store.open() }
        #expect(error?.reason == reason)
        #expect(try store.contents() == before)
    }

    private static func header(at place: Int, _ hex: String) -> String {
        """
        UPDATE page SET content = CAST(substr(content, 1, \(place)) || x'\(hex)' || \
        substr(content, \(place + hex.count / 2 + 1)) AS BLOB) WHERE id = 0
        """
    }

    @Test func `a rolled back header is detected`() throws {
        let store = try SampleStore()
        let digits = try store.sql("SELECT hex(content) FROM page WHERE id = 0")[0][0].map {
            String(decoding: $0, as: UTF8.self)
        }
        let update = UpdateRequest(filter: SampleStore.samples[5].filter, secret: SecretBuffer("newer".utf8))
        _ = try store.open().perform(.update(update), for: SampleStore.caller)
        try store.sql("UPDATE page SET content = x'\(try #require(digits))' WHERE id = 0")
        #expect(throws: StatusError(.undecodable, .databaseRolledBack)) { try store.open() }
        // Without `writer.lock`, which records the last commit, the store opens, but listing the items fails.
        try FileManager.default.removeItem(at: store.file("writer.lock"))
        #expect(throws: StatusError(.undecodable, .multisetHashMismatch)) {
            try store.open().list(.genericPassword)
        }
    }

    @Test func `a removed or rolled back log is detected`() throws {
        let store = try SampleStore()
        let update = UpdateRequest(filter: SampleStore.samples[5].filter, secret: SecretBuffer("newer".utf8))
        let old = try store.contents()
        _ = try store.open().perform(.update(update), for: SampleStore.caller)
        for log in [old["keychain.db-wal"], nil] {
            try? FileManager.default.removeItem(at: store.file("keychain.db-shm"))
            try store.change("keychain.db-wal") { $0 = log ?? Data() }
            #expect(throws: StatusError(.undecodable, .databaseRolledBack)) { try store.open() }
        }
        try FileManager.default.removeItem(at: store.file("keychain.db-wal"))
        #expect(throws: StatusError(.undecodable, .databaseRolledBack)) { try store.open() }
    }
}
