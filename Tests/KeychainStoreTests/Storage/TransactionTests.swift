// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import Testing

@testable import KeychainStore

@Suite struct TransactionTests {
    @Test func `pages are written, read and overwritten`() throws {
        let directory = try StoreDirectory()
        try directory.create(pages: [(0, [1]), (16, [])])
        let store = try directory.open()
        #expect(try store.page(0) == .init([1]))
        #expect(try store.page(16) == .init([]))
        #expect(try store.page(1) == nil)
        try store.write { () throws(StatusError) in
            try store.write(.init([2, 0, 3]), asPage: 0)
            try store.write(.init([4]), asPage: 1)
        }
        let again = try directory.open()
        #expect(try again.page(0) == .init([2, 0, 3]))
        #expect(try again.page(1) == .init([4]))
    }

    @Test func `an error rolls back a change, and the next one works`() throws {
        let directory = try StoreDirectory()
        try directory.create(pages: [(0, [1])])
        let store = try directory.open()
        let first = try row(1)
        let error = StatusError(.internalInconsistency)
        #expect(throws: error) {
            try store.write { () throws(StatusError) in
                try store.insert(first)
                try store.write(.init([2]), asPage: 0)
                throw error
            }
        }
        #expect(!store.connection.isInTransaction)
        #expect(try store.page(0) == .init([1]))
        #expect(try store.rows(.identity(first.columns.identity)).isEmpty)
        try store.write { () throws(StatusError) in try store.insert(first) }
        #expect(try store.rows(.identity(first.columns.identity)).map(\.row) == [first])
    }

    @Test func `an error ends a read transaction`() throws {
        let directory = try StoreDirectory()
        try directory.create(pages: [(0, [1])])
        let store = try directory.open()
        #expect(throws: StatusError(.itemNotFound)) {
            try store.read { () throws(StatusError) in throw StatusError(.itemNotFound) }
        }
        #expect(!store.connection.isInTransaction)
        try store.write { () throws(StatusError) in try store.write(.init([2]), asPage: 0) }
    }

    /// A statement that is not reset would keep its snapshot of the database.
    @Test func `a read that stops early or fails releases its snapshot`() throws {
        let directory = try StoreDirectory()
        try directory.create()
        let store = try directory.open()
        let rows = try (1...20).map { try row($0) }
        try store.write { () throws(StatusError) in for row in rows { try store.insert(row) } }
        let group = rows[0].columns.accessGroup
        var seen = 0
        try store.forEachRow(.group(group, .genericPassword), secrets: false) { _ throws(StatusError) in
            seen += 1
            return seen < 3
        }
        #expect(seen == 3)
        #expect(throws: StatusError(.undecodable)) {
            try store.forEachRow(.group(group, .genericPassword), secrets: false) { _ throws(StatusError) in
                throw StatusError(.undecodable)
            }
        }
        #expect(!store.connection.isInTransaction)
        _ = try directory.open().write { () throws(StatusError) in }
        // SQLite can truncate the write-ahead log only if no connection holds a snapshot.
        #expect(try directory.sql("PRAGMA wal_checkpoint(TRUNCATE)").first?.hasPrefix("0|") == true)
        #expect(try store.rows(.group(group, .genericPassword)).count == 20)
    }

    @Test func `a read transaction sees one state despite concurrent writes`() throws {
        let directory = try StoreDirectory()
        try directory.create(pages: [(0, [1])])
        let (reader, writer) = (try directory.open(), try directory.open())
        try reader.read { () throws(StatusError) in
            #expect(try reader.page(0) == .init([1]))
            let version = reader.contentVersion
            try writer.write { () throws(StatusError) in try writer.write(.init([2]), asPage: 0) }
            #expect(try reader.page(0) == .init([1]))
            #expect(reader.contentVersion == version)
        }
        #expect(try reader.page(0) == .init([2]))
    }

    @Test func `the content version changes when another connection writes`() throws {
        let directory = try StoreDirectory()
        try directory.create(pages: [(0, [1])])
        let (reader, writer) = (try directory.open(), try directory.open())
        func version() throws -> UInt32 {
            try reader.read { () throws(StatusError) in
                _ = try reader.page(0)
                return reader.contentVersion
            }
        }
        let before = try version()
        #expect(try version() == before)
        try writer.write { () throws(StatusError) in try writer.write(.init([2]), asPage: 0) }
        #expect(try version() != before)
    }
}
