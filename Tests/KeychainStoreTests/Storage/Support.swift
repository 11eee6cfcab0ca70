// SPDX-License-Identifier: Apache-2.0

import CKeychainSQLite
import Foundation
import KeychainModel
import Testing

@testable import KeychainStore

final class StoreDirectory {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "keychain-\(UUID())").path
        try #require(mkdir(path, 0o700) == 0)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var database: String { path + "/keychain.db" }

    func create(pages: [(number: Int64, content: [UInt8])] = []) throws {
        let directory = try PrivateDirectory(path: path, creating: false)
        try ItemStore.create(in: directory, pages: pages.map { ($0.number, .init($0.content)) })
    }

    func open(checkpointThreshold: Int = 128) throws(StatusError) -> ItemStore {
        let directory = try PrivateDirectory(path: path, creating: false)
        var location = StoreLocation(directory: path)
        location.checkpointThreshold = checkpointThreshold
        let store = try ItemStore(in: directory, location)
        try store.accept(in: directory)
        return store
    }

    /// Executes a statement on a separate SQLite connection, and returns its rows, with `|` between the columns.
    func sql(_ statement: String) throws -> [String] {
        var connection: OpaquePointer?
        defer { sqlite3_close_v2(connection) }
        try #require(sqlite3_open_v2(database, &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
        _ = csqlite_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nil)
        var handle: OpaquePointer?
        defer { sqlite3_finalize(handle) }
        let result = sqlite3_prepare_v2(connection, statement, -1, &handle, nil)
        try #require(result == SQLITE_OK, "\(String(cString: sqlite3_errmsg(connection)))")
        var rows: [String] = []
        while sqlite3_step(handle) == SQLITE_ROW {
            rows.append(
                (0..<sqlite3_column_count(handle)).map { column in
                    sqlite3_column_text(handle, column).map { String(cString: $0) } ?? "NULL"
                }.joined(separator: "|")
            )
        }
        return rows
    }
}

func bytes(_ seed: UInt8, count: Int) -> [UInt8] { Array(repeating: seed, count: count) }

func digest8(_ seed: UInt8) -> Bytes8 { Bytes8(UInt64(seed) * 0x0101_0101_0101_0101) }

func digest32(_ seed: UInt8) throws -> Bytes32 { try #require(Bytes32(bytes(seed, count: 32))) }

/// Returns the index entries of a row, derived from the seed.
///
/// Every row has the digest of its own account. Rows with a seed below 10 also have the digest of a label that
/// several rows share.
private func digests(_ seed: UInt8) throws -> [UInt8] {
    [Attribute.account.rawValue] + bytes(seed, count: 8)
        + (seed < 10 ? [Attribute.label.rawValue] + bytes(1 + seed % 2, count: 8) : [])
}

/// Returns a row whose columns and contents are derived from the seed.
func row(_ seed: UInt8, group: UInt8 = 1, itemClass: ItemClass = .genericPassword) throws -> ItemRow {
    let columns = ItemColumns(
        item: Bytes16(Bytes8(UInt64(seed)), digest8(seed)),
        identity: ItemIdentity(itemClass, in: digest8(group), digest: try digest32(seed)),
        version: UInt64(seed),
        protection: .afterFirstUnlock,
        synchronizable: seed.isMultiple(of: 2),
        tombstone: seed.isMultiple(of: 5),
        digests: try digests(seed)
    )
    return ItemRow(
        columns: columns,
        attributes: bytes(seed, count: 100),
        secret: seed.isMultiple(of: 3) ? nil : bytes(seed, count: 40)
    )
}

extension ItemStore {
    func rows(_ selection: RowSelection, secrets: Bool = true) throws -> [StoredRow] {
        var rows: [StoredRow] = []
        try read { () throws(StatusError) in
            try forEachRow(selection, secrets: secrets) { row throws(StatusError) in
                rows.append(row)
                return true
            }
        }
        return rows
    }
}
