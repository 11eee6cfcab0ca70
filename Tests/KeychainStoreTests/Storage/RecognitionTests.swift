// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import Testing

@testable import KeychainStore

enum FileSize {
    static func of(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    }
}

@Suite struct RecognitionTests {
    static let shapes: [(String, Reason)] = [
        ("CREATE TABLE more (a)", Reason.databaseDamaged), ("DROP TABLE page", .databaseDamaged),
        ("DROP TABLE item_index", .databaseDamaged),
        ("CREATE INDEX more ON item (version)", .databaseDamaged),
        ("ALTER TABLE item ADD COLUMN more ANY", .databaseDamaged),
        ("CREATE VIEW v AS SELECT 1", .databaseDamaged),
        ("CREATE TRIGGER t DELETE ON item BEGIN SELECT 1; END", .databaseDamaged),
        ("PRAGMA journal_mode = DELETE", .databaseDamaged),
        ("PRAGMA application_id = 7", .databaseForeign), ("PRAGMA application_id = 0", .databaseForeign),
        ("PRAGMA user_version = 1", .earlierFormat), ("PRAGMA user_version = 5", .databaseNewer),
        ("PRAGMA user_version = 2147483647", .databaseNewer),
        ("PRAGMA user_version = 0", .databaseDamaged), ("PRAGMA user_version = -1", .databaseDamaged),
    ]

    @Test(arguments: shapes)
    func `a database with another schema or settings is rejected`(statement: String, reason: Reason) throws {
        let directory = try StoreDirectory()
        try directory.create()
        _ = try directory.sql(statement)
        #expect(throws: StatusError(.notAvailable, reason)) { try directory.open() }
    }

    @Test func `a directory without a database is reported`() throws {
        let directory = try StoreDirectory()
        #expect(throws: StatusError(.notAvailable, .databaseMissing)) { try directory.open() }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
    }

    @Test(arguments: [0, 1, 15, 16, 99, 100, 511, 512, 4_095, 4_096, 8_191])
    func `a truncated database is rejected`(count: Int) throws {
        let directory = try StoreDirectory()
        try directory.create()
        try #require(truncate(directory.database, count) == 0)
        let error = #expect(throws: StatusError.self) {
            let store = try directory.open()
            _ = try store.rows(.all)
            _ = try store.page(0)
        }
        #expect(error?.reason == .databaseDamaged)
        #expect(try FileSize.of(directory.database) == count)
    }

    @Test(arguments: ["keychain.db-wal", "keychain.db-shm"])
    func `a file next to the database that others can read is rejected`(name: String) throws {
        let directory = try StoreDirectory()
        try directory.create()
        let path = directory.path + "/" + name
        try #require(
            FileManager.default.createFile(
                atPath: path,
                contents: Data(),
                attributes: [.posixPermissions: 0o644]
            )
        )
        let refusal = StatusError(.notAvailable, .fileNotPrivate, file: StoreFile(name: name))
        #expect(throws: refusal) { try directory.open() }
    }

    @Test func `creating an existing store fails`() throws {
        let directory = try StoreDirectory()
        try directory.create(pages: [(0, [1, 2, 3])])
        #expect(throws: StatusError(.duplicateKeychain, .storeExists)) { try directory.create() }
        #expect(try directory.open().page(0) == .init([1, 2, 3]))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { $0.contains("new") }
                == []
        )
    }
}
