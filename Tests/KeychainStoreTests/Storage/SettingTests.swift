// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import Testing

@testable import KeychainStore

@Suite struct SettingTests {
    static let settings: [(String, String)] = [
        ("synchronous", "2"), ("journal_mode", "wal"), ("secure_delete", "1"), ("cell_size_check", "1"),
        ("trusted_schema", "0"), ("mmap_size", "0"), ("busy_timeout", "5000"), ("page_size", "4096"),
        ("application_id", String(0x4C4B_4331)), ("user_version", "4"), ("encoding", "UTF-8"),
    ]

    @Test(arguments: settings)
    func `each setting has its required value`(name: String, value: String) throws {
        let directory = try StoreDirectory()
        try directory.create()
        let store = try directory.open()
        // The store makes some of these settings only before its first write.
        try store.write { () throws(StatusError) in try store.write([1], asPage: 9) }
        #expect(try store.connection.pragma(name) == value)
    }

    @Test(arguments: [
        "PRAGMA writable_schema = ON; ", "SELECT load_extension('x')",
        "INSERT INTO sqlite_schema VALUES ('table', 'a', 'a', 0, 'x')", "UPDATE sqlite_schema SET sql = ''",
    ])
    func `changes that could undermine the schema are rejected`(statement: String) throws {
        let directory = try StoreDirectory()
        try directory.create()
        let store = try directory.open()
        if statement.hasPrefix("PRAGMA") {
            try store.connection.execute(statement)
            #expect(throws: StatusError.self) { try store.connection.execute("DELETE FROM sqlite_schema") }
        } else {
            #expect(throws: StatusError.self) { try store.connection.execute(statement) }
        }
    }

    @Test func `SQLite does not checkpoint by itself while writing or closing`() throws {
        let directory = try StoreDirectory()
        try directory.create()
        let before = try directory.sql("PRAGMA page_count")
        do {
            let store = try directory.open()
            for seed in UInt8(1)...200 {
                try store.write { () throws(StatusError) in
                    try store.write(.init(repeating: seed, count: 3_000), asPage: Int64(seed))
                }
            }
            // Every commit added pages to the write-ahead log, and no checkpoint emptied it.
            #expect(store.connection.logFrames > 200)
        }
        let size = try #require(try FileSize.of(directory.database))
        #expect(size == 4_096 * Int(try #require(Int(before[0]))))
        #expect(try directory.open().page(200)?.count == 3_000)
    }

    @Test func `a long log is checkpointed on request`() throws {
        let directory = try StoreDirectory()
        try directory.create()
        let store = try directory.open(checkpointThreshold: 128)
        let before = try #require(try FileSize.of(directory.database))
        func fill(_ count: UInt8) throws {
            for seed in 1...count {
                try store.write { () throws(StatusError) in
                    try store.write(.init(repeating: seed, count: 3_000), asPage: Int64(seed))
                }
            }
        }
        try fill(2)
        store.checkpointIfLong()
        #expect(try FileSize.of(directory.database) == before)
        try fill(200)
        store.checkpointIfLong()
        #expect(try #require(try FileSize.of(directory.database)) > before + 190 * 4_096)
    }

    @Test func `the log stays short if each write is by a new program`() throws {
        let directory = try StoreDirectory()
        try directory.create()
        for seed in UInt8(1)...200 {
            let store = try directory.open(checkpointThreshold: 20)
            try store.write { () throws(StatusError) in
                try store.write(.init(repeating: seed, count: 3_000), asPage: Int64(seed))
            }
            store.checkpointIfLong()
        }
        let frames = try #require(try FileSize.of(directory.database + "-wal")) / (4_096 + 24)
        #expect(frames < 2 * 20)
        #expect(try directory.open().page(200)?.count == 3_000)
    }

    @Test func `a log in use by a reader is truncated after the reader ends`() throws {
        let directory = try StoreDirectory()
        try directory.create()
        let store = try directory.open(checkpointThreshold: 20)
        func fill(_ seeds: ClosedRange<UInt8>) throws {
            for seed in seeds {
                try store.write { () throws(StatusError) in
                    try store.write(.init(repeating: seed, count: 3_000), asPage: Int64(seed))
                }
                store.checkpointIfLong()
            }
        }
        let reader = try directory.open()
        try reader.read { () throws(StatusError) in
            _ = try reader.page(1)
            do { try fill(1...100) } catch { Issue.record(error) }
        }
        let log = directory.database + "-wal"
        #expect(try #require(try FileSize.of(log)) > 100 * 4_096)
        try fill(101...101)
        #expect(try FileSize.of(log) == 0)
        #expect(try directory.open().page(101)?.count == 3_000)
    }

    @Test func `a checkpointed log is empty for the next program and keeps its size`() throws {
        let directory = try StoreDirectory()
        try directory.create()
        let log = directory.database + "-wal"
        var size: Int?
        do {
            let store = try directory.open(checkpointThreshold: 20)
            var seed: UInt8 = 0
            while store.connection.logFrames < 20 {
                seed += 1
                try store.write { () throws(StatusError) in
                    try store.write(.init(repeating: seed, count: 3_000), asPage: Int64(seed))
                }
            }
            size = try FileSize.of(log)
            store.checkpointIfLong()
        }
        #expect(try #require(size) > 20 * 4_096)
        #expect(try FileSize.of(log) == size)
        #expect(try Data(contentsOf: URL(fileURLWithPath: log)).prefix(32) == Data(count: 32))
        let store = try directory.open()
        #expect(try store.page(5)?.count == 3_000)
        try store.write { () throws(StatusError) in try store.write([1], asPage: 100) }
        #expect(try directory.sql("SELECT count(*) FROM page WHERE id IN (5, 100)") == ["2"])
        #expect(try directory.sql("PRAGMA integrity_check") == ["ok"])
    }

    @Test func `pages written by a rolled back transaction do not reach the log`() throws {
        let directory = try StoreDirectory()
        try directory.create()
        let (store, other) = (try directory.open(), try directory.open())
        // With a small cache, SQLite writes pages to the write-ahead log before the commit.
        _ = try store.connection.pragma("cache_size = -64")
        let large = [UInt8](repeating: 0xCA, count: 1 << 20)
        for round in UInt8(1)...3 {
            #expect(throws: StatusError(.userCanceled)) {
                try store.write { () throws(StatusError) in
                    try store.write(large, asPage: 7)
                    throw StatusError(.userCanceled)
                }
            }
            try other.write { () throws(StatusError) in
                try other.write(.init(repeating: round, count: 300_000), asPage: 8)
            }
        }
        try store.write { () throws(StatusError) in try store.write([1], asPage: 9) }
        #expect(try other.page(8) == .init(repeating: 3, count: 300_000))
        #expect(try directory.open().page(7) == nil)
        #expect(try directory.sql("PRAGMA integrity_check") == ["ok"])
    }
}
