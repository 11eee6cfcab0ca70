// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import Testing

/// Opening stores with invalid or missing files.
///
/// Invalid files are rejected with the correct reason, and no file but `keychain.db-shm` changes.
@Suite struct StoreFileTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: Reason
        let file: StoreFile?
        let spoil: @Sendable (SampleStore) throws -> Void

        init(
            _ description: String,
            _ reason: Reason,
            _ file: StoreFile? = nil,
            _ spoil: @escaping @Sendable (SampleStore) throws -> Void
        ) {
            testDescription = description
            self.reason = reason
            self.file = file
            self.spoil = spoil
        }
    }

    static let cases: [Case] = [
        Case("no database, but a device key and a generation in writer.lock", .databaseMissing) { store in
            for name in ["keychain.db", "keychain.db-wal"] { try store.remove(name) }
        },
        Case("no database, but a write-ahead log", .databaseMissing) { store in
            for name in ["keychain.db", "writer.lock"] { try store.remove(name) }
        },
        Case("an empty database", .databaseDamaged) { try $0.write("keychain.db", Data()) },
        Case("a text file", .databaseDamaged) { try $0.write("keychain.db", Data("no database\n".utf8)) },
        Case("a long text file", .databaseDamaged) { store in
            try store.write("keychain.db", Data(repeating: 0x41, count: 20_000))
        },
        Case("zeros", .databaseDamaged) { try $0.write("keychain.db", Data(count: 20_000)) },
        Case("another program's database", .databaseForeign) { store in
            for name in ["keychain.db", "keychain.db-wal"] { try store.remove(name) }
            try store.sql("PRAGMA page_size = 4096; CREATE TABLE notes (a); INSERT INTO notes VALUES (1)")
            try store.mode("keychain.db", 0o600)
        },
        Case("another program's database and no writer.lock", .databaseForeign) { store in
            for name in ["keychain.db", "keychain.db-wal", "writer.lock"] { try store.remove(name) }
            try store.sql("CREATE TABLE notes (a)")
            try store.mode("keychain.db", 0o600)
        },
        Case("a database without WAL mode", .databaseDamaged) { try $0.sql("PRAGMA journal_mode = DELETE") },
        Case("no device key", .deviceKeyMissing) { try $0.remove("device.key") },
        Case("no device key and no writer.lock", .deviceKeyMissing) { store in
            for name in ["device.key", "writer.lock"] { try store.remove(name) }
        },
        Case("an empty device key", .deviceKeyDamaged) { try $0.write("device.key", Data()) },
        Case("a truncated device key", .deviceKeyDamaged) { store in
            try store.change("device.key") { $0.removeLast() }
        },
        Case("a device key with a newline", .deviceKeyDamaged) { store in
            try store.change("device.key") { $0.append(0x0a) }
        },
        Case("a text file in place of the device key", .deviceKeyDamaged) { store in
            try store.write("device.key", Data(repeating: 0x61, count: 64))
        },
        Case("the device key of another store", .deviceKeyForeign) { store in
            let other = FileManager.default.temporaryDirectory.appending(component: "keychain-\(UUID())")
            defer { try? FileManager.default.removeItem(at: other) }
            _ = try EmbeddedKeychain(at: StoreLocation(directory: other.path))
            try store.write("device.key", Data(contentsOf: other.appending(component: "device.key")))
        },
        Case("the directory open to others", .directoryNotPrivate) { try $0.mode("", 0o755) },
        Case("the directory open to the group", .directoryNotPrivate) { try $0.mode("", 0o710) },
        Case("the database open to others", .fileNotPrivate, .database) { try $0.mode("keychain.db", 0o644) },
        Case("the log open to others", .fileNotPrivate, .log) { try $0.mode("keychain.db-wal", 0o640) },
        Case("the device key open to others", .fileNotPrivate, .deviceKey) {
            try $0.mode("device.key", 0o604)
        },
        Case("the lock open to others", .fileNotPrivate, .writerLock) { try $0.mode("writer.lock", 0o666) },
        Case("a link in place of the database", .fileIsLink, .database) { try $0.link("keychain.db") },
        Case("a link in place of the log", .fileIsLink, .log) { try $0.link("keychain.db-wal") },
        Case("a link in place of the log's index", .fileIsLink, .logIndex) { try $0.link("keychain.db-shm") },
        Case("a link in place of the device key", .fileIsLink, .deviceKey) { try $0.link("device.key") },
        Case("a link in place of the lock", .fileIsLink, .writerLock) { try $0.link("writer.lock") },
        Case("a dangling link in place of the database", .fileIsLink, .database) { store in
            try store.remove("keychain.db")
            try FileManager.default.createSymbolicLink(
                atPath: store.file("keychain.db").path,
                withDestinationPath: "nowhere"
            )
        },
        Case("a directory in place of the database", .notARegularFile, .database) {
            try $0.directory("keychain.db")
        },
        Case("a directory in place of the device key", .notARegularFile, .deviceKey) {
            try $0.directory("device.key")
        },
        Case("a directory in place of the lock", .notARegularFile, .writerLock) {
            try $0.directory("writer.lock")
        },
        Case("a pipe in place of the device key", .notARegularFile, .deviceKey) { store in
            try store.remove("device.key")
            try #require(mkfifo(store.file("device.key").path, 0o600) == 0)
        },
        Case("a journal beside the database", .journalPresent, .journal) { store in
            try store.write("keychain.db-journal", Data("no journal".utf8))
            try store.mode("keychain.db-journal", 0o600)
        },
        Case("a journal that others can read", .fileNotPrivate, .journal) { store in
            try store.write("keychain.db-journal", Data("no journal".utf8))
            try store.mode("keychain.db-journal", 0o644)
        },
    ]

    @Test(arguments: cases)
    func `an invalid store is rejected and left unchanged`(example: Case) throws {
        let store = try SampleStore(log: true)
        try example.spoil(store)
        let before = try store.contents()
        for creating in [true, false] {
            let error = #expect(throws: StatusError.self) { try store.open(creating: creating) }
            #expect(error?.reason == example.reason)
            #expect(error?.file == example.file)
            #expect(try store.contents() == before)
        }
    }

    private static let isRoot: ConditionTrait = .enabled(if: geteuid() == 0, "only root can give files away")

    @Test(isRoot, arguments: ["", "keychain.db", "keychain.db-wal", "device.key", "writer.lock"])
    func `files of another user are rejected`(name: String) throws {
        let store = try SampleStore(log: true)
        let path = name.isEmpty ? store.directory.path : store.file(name).path
        try #require(chown(path, 65_534, 65_534) == 0)
        let before = try store.contents()
        let error = #expect(throws: StatusError.self) { try store.open() }
        #expect(error?.reason == (name.isEmpty ? .directoryNotOwned : .fileNotOwned))
        #expect(error?.file == StoreFile(name: name))
        #expect(try store.contents() == before)
    }

    @Test func `a symbolic link to the directory is rejected in every spelling`() throws {
        let store = try SampleStore()
        let link = FileManager.default.temporaryDirectory.appending(component: "link-\(UUID())").path
        defer { unlink(link) }
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: store.directory.path)
        for path in [link, link + "/", link + "//"] {
            #expect(throws: StatusError(.notAvailable, .directoryIsLink)) {
                try EmbeddedKeychain(at: StoreLocation(directory: path))
            }
        }
        _ = try EmbeddedKeychain(at: StoreLocation(directory: store.directory.path + "/"))
    }

    @Test func `a file in place of the directory is rejected`() throws {
        let path = FileManager.default.temporaryDirectory.appending(component: "file-\(UUID())").path
        try Data("a file".utf8).write(to: URL(filePath: path))
        defer { unlink(path) }
        for path in [path, path + "/", path + "/keychain"] {
            let error = #expect(throws: StatusError.self) {
                try EmbeddedKeychain(at: StoreLocation(directory: path))
            }
            #expect(error?.reason == .notADirectory)
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == Data("a file".utf8))
    }

    @Test func `missing parent directories are created with mode 0700`() throws {
        let top = FileManager.default.temporaryDirectory.appending(component: "top-\(UUID())")
        defer { try? FileManager.default.removeItem(at: top) }
        let path = top.appending(path: "a/b").path
        #expect(throws: StatusError(.noSuchKeychain, .storeMissing)) {
            try EmbeddedKeychain(at: StoreLocation(directory: path, createsIfMissing: false))
        }
        #expect(!FileManager.default.fileExists(atPath: top.path))
        _ = try EmbeddedKeychain(at: StoreLocation(directory: path))
        for directory in [top.path, top.appending(path: "a").path, path] {
            let mode = try FileManager.default.attributesOfItem(atPath: directory)[.posixPermissions] as? Int
            #expect(mode == 0o700)
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            let mode =
                try FileManager.default.attributesOfItem(atPath: path + "/" + name)[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(name)")
        }
    }

    @Test func `an empty directory becomes a store only on request`() throws {
        let path = FileManager.default.temporaryDirectory.appending(component: "empty-\(UUID())").path
        try #require(mkdir(path, 0o700) == 0)
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(throws: StatusError(.noSuchKeychain, .storeMissing)) {
            try EmbeddedKeychain(at: StoreLocation(directory: path, createsIfMissing: false))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [])
        _ = try EmbeddedKeychain(at: StoreLocation(directory: path))
        _ = try EmbeddedKeychain(at: StoreLocation(directory: path, createsIfMissing: false))
    }

    /// A crash while a store is created leaves at most a device key, a lock file, and partial files with temporary
    /// names.
    @Test func `files left by a crash during creation do not prevent a new store`() throws {
        let store = try SampleStore()
        for name in ["keychain.db", "keychain.db-wal", "writer.lock"] { try store.remove(name) }
        for name in ["keychain.db.new", "keychain.db.new-journal", "device.key.new"] {
            try store.write(name, Data("half".utf8))
            try store.mode(name, 0o600)
        }
        let key = try Data(contentsOf: store.file("device.key"))
        let keychain = try store.open()
        #expect(throws: StatusError(.itemNotFound)) { try keychain.list(.genericPassword) }
        #expect(try Data(contentsOf: store.file("device.key")) == key)
        let names = try FileManager.default.contentsOfDirectory(atPath: store.directory.path).filter {
            $0.contains(".new")
        }
        #expect(names.filter { $0.hasPrefix("keychain.db") } == [])
    }

    @Test func `a database replaced while it is open is not written to`() throws {
        let store = try SampleStore()
        let keychain = try store.open()
        let data = try Data(contentsOf: store.file("keychain.db"))
        try store.remove("keychain.db")
        try store.write("keychain.db", data)
        try store.mode("keychain.db", 0o600)
        let before = try store.contents()
        let update = UpdateRequest(filter: SampleStore.samples[5].filter, secret: SecretBuffer("newer".utf8))
        #expect(throws: StatusError(.notAvailable, .databaseReplaced)) {
            try keychain.perform(.update(update), for: SampleStore.caller)
        }
        #expect(try store.contents() == before)
    }
}

/// Invalid or missing files that SQLite keeps next to the database: the write-ahead log and its index.
@Suite struct LogFileTests {
    @Test(arguments: [
        "PRAGMA user_version = 99", "PRAGMA application_id = 7", "CREATE TABLE notes (a)",
        "UPDATE page SET content = zeroblob(100) WHERE id = 0",
        "UPDATE page SET content = zeroblob(100) WHERE id = 1",
    ])
    func `opening a rejected store without a log creates no log`(change: String) throws {
        let store = try SampleStore()
        try store.sql("\(change); PRAGMA wal_checkpoint(TRUNCATE)")
        for name in ["keychain.db-wal", "keychain.db-shm"] { try store.remove(name) }
        let before = try store.contents()
        #expect(throws: StatusError.self) { try store.open() }
        #expect(try store.contents() == before)
        #expect(!FileManager.default.fileExists(atPath: store.file("keychain.db-shm").path))
    }

    @Test(arguments: ["keychain.db-wal", "keychain.db-shm", "device.key", "writer.lock"])
    func `nothing is written if the files have been replaced`(name: String) throws {
        let store = try SampleStore(log: true)
        let keychain = try store.open()
        try store.remove(name)
        let update = UpdateRequest(filter: SampleStore.samples[5].filter, secret: SecretBuffer("newer".utf8))
        #expect(throws: StatusError(.notAvailable, .databaseReplaced)) {
            try keychain.perform(.update(update), for: SampleStore.caller)
        }
    }

    @Test func `the log index is recreated without losing anything`() throws {
        let store = try SampleStore(log: true)
        do {
            let keychain = try store.open()
            try store.remove("keychain.db-shm")
            let update = UpdateRequest(
                filter: SampleStore.samples[5].filter,
                secret: SecretBuffer("newer".utf8)
            )
            // Opening fails instead of mapping the removed index file, which the other connection still uses.
            WriterLock.$deadline.withValue(100) {
                #expect(throws: StatusError(.notAvailable, .databaseReplaced)) { try store.open() }
            }
            #expect(throws: StatusError(.notAvailable, .databaseReplaced)) {
                try keychain.perform(.update(update), for: SampleStore.caller)
            }
        }
        let update = UpdateRequest(filter: SampleStore.samples[5].filter, secret: SecretBuffer("newer".utf8))
        _ = try store.open().perform(.update(update), for: SampleStore.caller)
        #expect(try store.open().find(SampleStore.samples[5].filter)[0].secret == SecretBuffer("newer".utf8))
    }
}

extension SampleStore {
    func remove(_ name: String) throws { try FileManager.default.removeItem(at: file(name)) }

    func write(_ name: String, _ data: Data) throws {
        guard FileManager.default.fileExists(atPath: file(name).path) else {
            try data.write(to: file(name))
            return
        }
        try change(name) { $0 = data }
    }

    func mode(_ name: String, _ mode: mode_t) throws {
        try #require(chmod(name.isEmpty ? directory.path : file(name).path, mode) == 0)
    }

    /// Renames a file, or creates one, and puts a symbolic link to it at the old path.
    func link(_ name: String) throws {
        if FileManager.default.fileExists(atPath: file(name).path) {
            try FileManager.default.moveItem(at: file(name), to: file(name + ".aside"))
        } else {
            try Data().write(to: file(name + ".aside"))
        }
        try FileManager.default.createSymbolicLink(
            atPath: file(name).path,
            withDestinationPath: file(name + ".aside").path
        )
    }

    func directory(_ name: String) throws {
        try remove(name)
        try #require(mkdir(file(name).path, 0o700) == 0)
    }
}
