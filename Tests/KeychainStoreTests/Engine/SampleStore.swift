// SPDX-License-Identifier: Apache-2.0

import CKeychainSQLite
import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

/// A temporary store with known contents, which tests read, change or damage.
final class SampleStore {
    struct Sample: Sendable {
        let filter: ItemFilter
        let attributes: Attributes
        let secret: SecretBuffer?
    }

    let directory: URL
    private let keys: KeyDirectory
    static let caller = Caller(applicationIdentifier: "TEAM.app", accessGroups: ["TEAM.app", "TEAM.shared"])

    /// The items of the usual sample store, in the order of their addition.
    ///
    /// One more item was added and deleted, and has left a tombstone.
    static let samples: [Sample] = {
        var samples: [Sample] = []
        for number in 0..<24 {
            var attributes = Attributes()
            attributes[.account] = .string("account \(number)")
            attributes[.service] = .string("service \(number % 3)")
            attributes[.accessGroup] = .string(number % 4 == 0 ? "TEAM.shared" : "TEAM.app")
            attributes[.label] = .data([0xff, UInt8(number)])
            attributes[.synchronizable] = number % 8 == 1 ? .number(1) : nil
            attributes[.accessible] = .string(["ak", "aku", "ck", "cku", "dk", "dku"][number % 6])
            let secret: SecretBuffer? =
                switch number {
                case 0: nil
                case 1: SecretBuffer()
                case 2: SecretBuffer([UInt8](repeating: 0x5a, count: 20_000))
                default: SecretBuffer("secret \(number)".utf8)
                }
            samples.append(sample(.genericPassword, attributes, secret))
        }
        for number in 0..<6 {
            var attributes = Attributes()
            attributes[.account] = .string("e\u{301}-\u{e9} \(number)")
            attributes[.server] = .string("host\(number).example")
            attributes[.port] = .number(Int64(number))
            for attribute in [Attribute.securityDomain, .authenticationType, .path] {
                attributes[attribute] = .string("")
            }
            attributes[.protocol] = .string("htps")
            samples.append(sample(.internetPassword, attributes, SecretBuffer("secret \(number)".utf8)))
        }
        return samples
    }()

    private static func sample(
        _ itemClass: ItemClass,
        _ attributes: Attributes,
        _ secret: SecretBuffer?
    ) -> Sample {
        var named = attributes
        for attribute in [Attribute.label, .accessible, .synchronizable] { named[attribute] = nil }
        let filter = ItemFilter(itemClass: itemClass, attributes: named, synchronizable: .any)
        return Sample(filter: filter, attributes: attributes, secret: secret)
    }

    /// The files of a sample store, which is created once and then copied.
    private static let original = Result { try SampleStore(filling: samples).contents() }

    /// Creates a copy of the sample store; with `log`, its last changes are only in the write-ahead log.
    convenience init(log: Bool = false) throws { try self.init(log: log, original: Self.original.get()) }

    init(log: Bool, original: [String: Data]) throws {
        keys = try KeyDirectory()
        directory = FileManager.default.temporaryDirectory.appending(component: "keychain-\(UUID())")
        try FileManager.default.createDirectory(
            at: directory,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        for (name, data) in original {
            let made = FileManager.default.createFile(
                atPath: file(name).path,
                contents: data,
                attributes: [.posixPermissions: 0o600]
            )
            try #require(made)
        }
        if !log { try sql("PRAGMA wal_checkpoint(TRUNCATE)") }
    }

    init(filling samples: [Sample]) throws {
        keys = try KeyDirectory()
        directory = FileManager.default.temporaryDirectory.appending(component: "keychain-\(UUID())")
        let keychain = try EmbeddedKeychain(at: StoreLocation(directory: directory.path))
        for sample in samples {
            let item = NewItem(
                itemClass: sample.filter.itemClass,
                attributes: sample.attributes,
                secret: sample.secret
            )
            _ = try keychain.perform(.add(item), for: Self.caller)
        }
        var deleted = Attributes()
        deleted[.account] = .string("deleted")
        deleted[.synchronizable] = .number(1)
        _ = try keychain.perform(
            .add(NewItem(itemClass: .genericPassword, attributes: deleted, secret: SecretBuffer("x".utf8))),
            for: Self.caller
        )
        deleted[.synchronizable] = nil
        let filter = ItemFilter(itemClass: .genericPassword, attributes: deleted, synchronizable: .any)
        _ = try keychain.perform(.delete(DeleteRequest(filter: filter)), for: Self.caller)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    func file(_ name: String) -> URL { directory.appending(component: name) }

    func open(creating: Bool = true) throws(StatusError) -> EmbeddedKeychain {
        try EmbeddedKeychain(at: location(creating: creating))
    }

    /// Adds an item that only callers can read whose identity is established at least at this level.
    ///
    /// - Returns: A filter that matches the item.
    @discardableResult
    func addItem(demanding level: CallerLevel) throws -> ItemFilter {
        var attributes = Attributes()
        attributes[.account] = .string("demanding")
        let control = AccessControl(protection: .whenUnlocked, flags: ConstraintBit.minimumLevel(level))
        let item = NewItem(
            itemClass: .genericPassword,
            attributes: attributes,
            secret: SecretBuffer("secret".utf8),
            accessControl: control
        )
        _ = try open().perform(.add(item), for: Self.caller, with: Credential(level: level))
        return ItemFilter(itemClass: .genericPassword, attributes: attributes)
    }

    func location(creating: Bool = true) -> StoreLocation {
        keys.location(of: directory, createsIfMissing: creating)
    }

    /// Executes SQL directly on the database, and returns the rows; a value is `nil` for NULL.
    @discardableResult
    func sql(_ statements: String) throws -> [[Data?]] {
        try Self.sql(statements, in: file("keychain.db").path)
    }

    @discardableResult
    static func sql(_ statements: String, in path: String) throws -> [[Data?]] {
        var database: OpaquePointer?
        defer { sqlite3_close_v2(database) }
        try #require(
            sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil) == SQLITE_OK
        )
        _ = csqlite_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nil)
        var rows: [[Data?]] = []
        for text in statements.split(separator: ";") {
            var statement: OpaquePointer?
            defer { sqlite3_finalize(statement) }
            let message = String(cString: sqlite3_errmsg(database))
            try #require(
                sqlite3_prepare_v2(database, String(text), -1, &statement, nil) == SQLITE_OK,
                "\(text): \(message)"
            )
            while sqlite3_step(statement) == SQLITE_ROW {
                rows.append(
                    (0..<sqlite3_column_count(statement)).map { column in
                        guard sqlite3_column_type(statement, column) != SQLITE_NULL else { return nil }
                        let count = Int(sqlite3_column_bytes(statement, column))
                        return sqlite3_column_blob(statement, column).map { Data(bytes: $0, count: count) }
                            ?? Data()
                    }
                )
            }
            let result = sqlite3_reset(statement)
            try #require(result == SQLITE_OK, "\(text): \(result)")
        }
        return rows
    }

    /// The contents of every file except the WAL index, which can be recreated.
    ///
    /// An entry that cannot be read, such as a directory, has the contents `no file`.
    func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path)
        where !name.hasSuffix("-shm") {
            contents[name] = (try? Data(contentsOf: file(name))) ?? Data("no file".utf8)
        }
        return contents
    }

    func change(_ name: String, _ body: (inout Data) -> Void) throws {
        var data = try Data(contentsOf: file(name))
        body(&data)
        // Writes in place, so that the file keeps its owner and mode.
        let handle = try FileHandle(forWritingTo: file(name))
        defer { try? handle.close() }
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: data)
    }
}

extension EmbeddedKeychain {
    func find(
        _ filter: ItemFilter,
        limit: MatchLimit = .one,
        returning: ReturnKeys = [.data, .attributes]
    ) throws(StatusError) -> [FoundItem] {
        let request = CopyRequest(filter: filter, limit: limit, returning: returning)
        guard case .items(let items) = try perform(.copy(request), for: SampleStore.caller) else { return [] }
        return items
    }

    func list(_ itemClass: ItemClass) throws(StatusError) -> [FoundItem] {
        try find(ItemFilter(itemClass: itemClass, synchronizable: .any), limit: .all)
    }
}

extension SampleStore.Sample {
    func matches(_ item: FoundItem) -> Bool {
        item.secret == secret
            && attributes.entries.allSatisfy { item.attributes[$0.attribute] == $0.value }
    }
}
