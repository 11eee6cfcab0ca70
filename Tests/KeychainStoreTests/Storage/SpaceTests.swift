// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import Testing

@testable import KeychainStore

@Suite struct SpaceTests {
    private static let megabyte = 1 << 20

    private func makeStore(_ directory: StoreDirectory, largePages: ClosedRange<Int64>) throws -> ItemStore {
        try directory.create()
        // Each value has more pages than the longest write-ahead log, 16 times the threshold, so a checkpoint follows
        // each write.
        let store = try directory.open(checkpointThreshold: 16)
        for number in largePages {
            try store.write { () throws(StatusError) in
                try store.write(.init(repeating: 0xCA, count: Self.megabyte), asPage: number)
            }
            store.checkpointIfLong()
        }
        return store
    }

    private func delete(_ numbers: ClosedRange<Int64>, from store: ItemStore) throws {
        for number in numbers {
            try store.write { () throws(StatusError) in try store.deletePage(number) }
            store.checkpointIfLong()
        }
    }

    @Test func `the file shrinks after large values are deleted`() throws {
        let directory = try StoreDirectory()
        let store = try makeStore(directory, largePages: 1...6)
        #expect(try #require(try FileSize.of(directory.database)) > 6 * Self.megabyte)
        try delete(1...6, from: store)
        #expect(try #require(try FileSize.of(directory.database)) < Self.megabyte / 4)
        #expect(try #require(try FileSize.of(directory.database + "-wal")) < 2 * Self.megabyte)
    }

    @Test func `remaining rows are moved to the front of the file unchanged`() throws {
        let directory = try StoreDirectory()
        let store = try makeStore(directory, largePages: 1...4)
        try delete(1...3, from: store)
        #expect(try #require(try FileSize.of(directory.database)) < Self.megabyte * 3 / 2)
        #expect(try directory.open().page(4)?.allSatisfy { $0 == 0xCA } == true)
        #expect(try directory.sql("PRAGMA integrity_check") == ["ok"])
    }

    @Test func `a small write after a large deletion moves few pages`() throws {
        let directory = try StoreDirectory()
        let store = try makeStore(directory, largePages: 1...2)
        // Deletes with plain SQL, without an incremental vacuum, so that the pages stay on the free list.
        _ = try directory.sql("DELETE FROM page WHERE id = 1")
        let free = try store.connection.number(.freePages)
        #expect(free > 200)
        try store.write { () throws(StatusError) in try store.write(.init(repeating: 1, count: 9), asPage: 9)
        }
        #expect(try 1...16 ~= free - store.connection.number(.freePages))
    }

    @Test func `adding an item does not release pages that the next one needs`() throws {
        let directory = try StoreDirectory()
        let store = try makeStore(directory, largePages: 1...1)
        try delete(1...1, from: store)
        #expect(try store.connection.number(.freePages) == 16)
    }
}
