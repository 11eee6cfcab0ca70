// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

@Suite struct RepairTests {
    private func repair(_ store: SampleStore, dryRun: Bool = false) throws -> RepairSummary {
        try EmbeddedKeychain.repair(
            at: store.location(creating: false),
            dryRun: dryRun,
            named: "test"
        ) { _, _ in true }
    }

    /// Removes the copy of the store that a repair left beside it.
    private func clean(_ store: SampleStore, _ summary: RepairSummary) {
        if let copy = summary.copy { try? FileManager.default.removeItem(atPath: copy) }
    }

    private func beside(_ store: SampleStore) throws -> [String] {
        let name = store.directory.lastPathComponent
        return try FileManager.default
            .contentsOfDirectory(atPath: store.directory.deletingLastPathComponent().path)
            .filter { $0.hasPrefix(name) && $0 != name }
    }

    /// SQL statements that damage a store, and the number of rows that a repair then loses.
    static let damages: [(statement: String, lost: Int)] = [
        ("UPDATE item SET attributes = zeroblob(100) WHERE id IN (3, 7)", 2),
        ("UPDATE item SET secret = NULL WHERE id = 7", 1),
        ("UPDATE item SET flags = 99 WHERE id = 7", 1),
        ("DELETE FROM item WHERE id = 7", 1),
        ("DELETE FROM item_index", 0),
        ("UPDATE page SET content = zeroblob(100) WHERE id = 0", 0),
        ("DELETE FROM page WHERE id = 0", 0),
        ("DELETE FROM page WHERE id = 0; UPDATE item SET digests = x'00' WHERE id = 7", 1),
    ]

    @Test(arguments: damages)
    func `the new store has the valid rows, and the damaged store is kept`(
        damage: (statement: String, lost: Int)
    ) throws {
        let store = try SampleStore()
        let references = try SampleStore.samples.map { try store.open().find($0.filter)[0].reference }
        try store.sql(damage.statement)
        let before = try store.contents()
        let summary = try repair(store)
        defer { clean(store, summary) }
        #expect(!summary.verification.isIntact)
        #expect(summary.salvaged == SampleStore.samples.count + 1 - damage.lost)
        let keychain = try store.open(creating: false)
        let result = try keychain.verified()
        #expect(result.isIntact && result.intact == summary.salvaged)
        var missing = 0
        for (sample, reference) in zip(SampleStore.samples, references) {
            guard let item = try? keychain.find(sample.filter).first else {
                missing += 1
                continue
            }
            #expect(sample.matches(item) && item.reference == reference)
        }
        #expect(missing == damage.lost)
        let copy = URL(filePath: try #require(summary.copy))
        #expect(try Data(contentsOf: copy.appending(component: "keychain.db")) == before["keychain.db"])
        #expect(try beside(store) == [copy.lastPathComponent])
    }

    @Test(arguments: [true, false])
    func `an intact store is not changed`(dryRun: Bool) throws {
        let store = try SampleStore()
        let before = try store.contents()
        let summary = try repair(store, dryRun: dryRun)
        #expect(summary.verification.isIntact && summary.copy == nil)
        #expect(try store.contents()["keychain.db"] == before["keychain.db"])
        #expect(try beside(store).isEmpty)
    }

    @Test func `a dry run changes nothing`() throws {
        let store = try SampleStore()
        try store.sql("UPDATE item SET attributes = zeroblob(100) WHERE id = 7")
        let before = try store.contents()
        let summary = try repair(store, dryRun: true)
        #expect(summary.verification.damages.map(\.row) == [7])
        #expect(summary.copy == nil)
        #expect(try store.contents()["keychain.db"] == before["keychain.db"])
        #expect(try beside(store).isEmpty)
    }

    /// Changes that make a header claim a newer format.
    ///
    /// Each has the offset, the new bytes in hexadecimal, and the reason of the error that repair throws.
    static let newer: [(byte: Int, digits: String, reason: Reason)] = [
        (4, "0500", .databaseNewer), (32, "01000000", .databaseNewer),
    ]

    @Test(arguments: newer)
    func `a store of a newer version is refused and not changed`(
        header: (byte: Int, digits: String, reason: Reason)
    ) throws {
        let store = try SampleStore()
        let (start, end) = (header.byte + 1, header.byte + 1 + header.digits.count / 2)
        let content = "substr(content, 1, \(header.byte)) || x'\(header.digits)' || substr(content, \(end))"
        #expect(start < end)
        try store.sql("UPDATE page SET content = CAST(\(content) AS BLOB) WHERE id = 0")
        let before = try store.contents()
        #expect(throws: StatusError(.notAvailable, header.reason)) { _ = try repair(store) }
        #expect(try store.contents()["keychain.db"] == before["keychain.db"])
        #expect(try beside(store).isEmpty)
    }

    @Test func `an item that requires a higher level of the caller is kept`() throws {
        let store = try SampleStore()
        let filter = try store.addItem(demanding: .group)
        try store.sql("UPDATE item SET attributes = zeroblob(100) WHERE id = 7")
        let summary = try repair(store)
        defer { clean(store, summary) }
        #expect(summary.verification.damages.map(\.row) == [7])
        let request = CopyRequest(filter: filter, returning: .data)
        let response = try store.open(creating: false)
            .perform(.copy(request), for: SampleStore.caller, with: Credential(level: .group))
        guard case .items(let items) = response else {
            Issue.record("no items")
            return
        }
        #expect(items.map(\.secret) == [SecretBuffer("secret".utf8)])
    }

    @Test func `a repaired store is not synchronized, and the summary reports it`() throws {
        let store = try SampleStore()
        try store.open().synchronize { session throws(StatusError) in
            try session.write([1, 2, 3], asPage: 7)
        }
        try store.sql("UPDATE item SET attributes = zeroblob(100) WHERE id = 7")
        let summary = try repair(store)
        defer { clean(store, summary) }
        #expect(summary.endedSynchronization)
        let page = try store.open(creating: false)
            .readSynchronization { session throws(StatusError) in try session.page(7) }
        #expect(page == nil)
    }

    @Test func `a repair that is canceled leaves nothing beside the store`() throws {
        let store = try SampleStore()
        try store.sql("UPDATE item SET attributes = zeroblob(100) WHERE id = 7")
        #expect(throws: StatusError(.userCanceled, .changesCanceled)) {
            _ = try EmbeddedKeychain.repair(
                at: store.location(creating: false),
                dryRun: false,
                named: "test"
            ) { _, _ in false }
        }
        #expect(try beside(store).isEmpty)
        #expect(try !store.open(creating: false).verified().isIntact)
    }

    @Test func `a store whose path ends with a slash is repaired`() throws {
        let store = try SampleStore()
        try store.sql("UPDATE item SET attributes = zeroblob(100) WHERE id = 7")
        let path = store.location(creating: false).directory + "/"
        let location = StoreLocation(directory: path, createsIfMissing: false)
        let summary = try EmbeddedKeychain.repair(at: location, dryRun: false, named: "test") { _, _ in true }
        defer { clean(store, summary) }
        #expect(summary.salvaged == SampleStore.samples.count)
        #expect(try store.open(creating: false).verified().isIntact)
    }

    @Test func `a process that has the damaged store open uses the new one`() throws {
        let store = try SampleStore()
        let open = try store.open()
        try store.sql("UPDATE item SET attributes = zeroblob(100) WHERE id = 7")
        let summary = try repair(store)
        defer { clean(store, summary) }
        #expect(throws: StatusError(.notAvailable, .databaseReplaced)) { try open.verified() }
        #expect(try store.open(creating: false).verified().isIntact)
    }

    @Test func `the passcode and the lock of a repaired store stay`() throws {
        let store = try LockedStore(keysIn: .runtimeDirectory)
        defer { withExtendedLifetime(store) {} }
        try store.addItems(["ak", "dk"], for: SampleStore.caller)
        try store.keychain.lock()
        try SampleStore.sql(
            "DELETE FROM item_index",
            in: store.store.appending(component: "keychain.db").path
        )
        let location = store.keychain.location
        let summary = try EmbeddedKeychain.repair(at: location, dryRun: false, named: "test") { _, _ in true }
        defer { if let copy = summary.copy { try? FileManager.default.removeItem(atPath: copy) } }
        #expect(summary.salvaged == 2 && summary.verification.locked == 1)
        let keychain = try EmbeddedKeychain(at: location)
        #expect(try keychain.verified().locked == 1)
        try keychain.unlock(with: Backup.secret(LockedStore.passcode))
        #expect(try keychain.verified().intact == 2)
    }

    @Test func `without the device key nothing is changed`() throws {
        let store = try SampleStore()
        try FileManager.default.removeItem(at: store.file("device.key"))
        #expect(throws: StatusError(.notAvailable, .deviceKeyMissing)) { try repair(store) }
        #expect(try beside(store).isEmpty)
    }
}
