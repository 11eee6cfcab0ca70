// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

@Suite struct DeleteStoreTests {
    private static func delete(
        _ store: SampleStore,
        afterEachStep: () throws(StatusError) -> Void = {}
    ) throws(StatusError) {
        try EmbeddedKeychain.delete(at: store.location(), afterEachStep: afterEachStep)
    }

    private static func identifier(_ keychain: EmbeddedKeychain) throws -> StoreStatus {
        guard case .status(let status) = try keychain.perform(.status, for: SampleStore.caller) else {
            throw StatusError(.internalInconsistency)
        }
        return status
    }

    static let damages: [(name: String, spoil: @Sendable (SampleStore) throws -> Void)] = [
        ("nothing", { _ in }),
        (
            "a forgotten passcode",
            { store in
                let keychain = try store.open()
                try keychain.setPasscode(SecretBytes("canary"), cost: LockedStore.cost)
                try keychain.lock()
            }
        ),
        ("a device key that is gone", { try FileManager.default.removeItem(at: $0.file("device.key")) }),
        ("a device key that is damaged", { try $0.change("device.key") { $0.removeLast() } }),
        ("a database that is damaged", { try $0.change("keychain.db") { $0.removeFirst(5_000) } }),
        ("a database that is gone", { try FileManager.default.removeItem(at: $0.file("keychain.db")) }),
        ("a lock that is gone", { try FileManager.default.removeItem(at: $0.file("writer.lock")) }),
        (
            "files of a program that was killed while it created the store",
            { store in
                for name in ["device.key.new", "keychain.db.new", "keychain.db.new-journal"] {
                    let made = FileManager.default.createFile(
                        atPath: store.file(name).path,
                        contents: Data("canary".utf8),
                        attributes: [.posixPermissions: 0o600]
                    )
                    try #require(made)
                }
            }
        ),
    ]

    @Test(arguments: damages.indices, [true, false])
    func `a store with any problem can be deleted, and the next one is new`(
        number: Int,
        log: Bool
    ) throws {
        let store = try SampleStore(log: log)
        let before = try Self.identifier(store.open())
        try Self.damages[number].spoil(store)
        try Self.delete(store)
        #expect(try FileManager.default.contentsOfDirectory(atPath: store.directory.path) == [])
        let after = try Self.identifier(store.open())
        #expect(after.store != before.store)
        #expect(after.itemCount == 0 && after.tombstoneCount == 0 && !after.passcodeIsSet)
    }

    @Test func `deleting a missing store fails and creates none`() throws {
        let store = try SampleStore()
        try Self.delete(store)
        let missing = StatusError(.noSuchKeychain, .storeMissing)
        #expect(throws: missing) { try Self.delete(store) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: store.directory.path) == [])
        try FileManager.default.removeItem(at: store.directory)
        #expect(throws: missing) { try Self.delete(store) }
        #expect(!FileManager.default.fileExists(atPath: store.directory.path))
    }

    /// Interrupts the deletion after `steps` steps.
    ///
    /// - Returns: Whether the deletion was interrupted; `false` if the deletion has at most `steps` steps.
    private static func crash(_ store: SampleStore, after steps: Int) throws -> Bool {
        var taken = 0
        do throws(StatusError) {
            try delete(store) { () throws(StatusError) in
                if taken == steps { throw StatusError(.internalInconsistency) }
                taken += 1
            }
            return false
        } catch {
            guard error.status == .internalInconsistency else { throw error }
            return true
        }
    }

    @Test(arguments: [true, false])
    func `an interrupted deletion leaves a complete store or none`(log: Bool) throws {
        var steps = 0
        while true {
            let store = try SampleStore(log: log)
            let before = try StoreDump(store.open())
            guard try Self.crash(store, after: steps) else { break }
            if steps == 0 {
                #expect(try StoreDump(store.open(creating: false)) == before)
            } else {
                let error = #expect(throws: StatusError.self) { try store.open(creating: false) }
                #expect(error?.reason == .storeMissing, "after step \(steps)")
                let keychain = try store.open()
                #expect(try StoreDump(keychain).items == [], "after step \(steps)")
                #expect(try Self.identifier(keychain).store.bytes.hex != before.store)
                #expect(!FileManager.default.fileExists(atPath: store.file("keychain.db.deleted").path))
            }
            steps += 1
        }
        #expect(steps > 8)
    }

    @Test func `the next deletion completes an interrupted one`() throws {
        for steps in 1..<100 {
            let store = try SampleStore(log: true)
            guard try Self.crash(store, after: steps) else { break }
            do throws(StatusError) {
                try Self.delete(store)
            } catch {
                // Only the lock file is left, and a directory with only a lock file has no store.
                #expect(error.reason == .storeMissing)
                try FileManager.default.removeItem(at: store.file("writer.lock"))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: store.directory.path) == [])
        }
    }

    @Test func `programs that have the store open detect the deletion`() throws {
        let store = try SampleStore()
        let keychain = try store.open()
        try Self.delete(store)
        let item = NewItem(itemClass: .genericPassword, attributes: Attributes(), secret: nil)
        let replaced = StatusError(.notAvailable, .databaseReplaced)
        #expect(throws: replaced) { try keychain.perform(.add(item), for: SampleStore.caller) }
        // A connection opened before the deletion must not write to the store that replaced it.
        _ = try store.open().perform(.add(item), for: SampleStore.caller)
        #expect(throws: replaced) { try keychain.perform(.add(item), for: SampleStore.caller) }
        #expect(throws: replaced) { try keychain.perform(.status, for: SampleStore.caller) }
        #expect(throws: replaced) { try keychain.lock() }
        #expect(try StoreDump(store.open()).items.count == 1)
    }

    @Test(arguments: ["keychain.db", "keychain.db-wal", "device.key", "writer.lock", ""])
    func `files accessible to others are rejected and left unchanged`(name: String) throws {
        let store = try SampleStore(log: true)
        let path = name.isEmpty ? store.directory.path : store.file(name).path
        try #require(chmod(path, 0o755) == 0)
        let before = try store.contents()
        let error = #expect(throws: StatusError.self) { try Self.delete(store) }
        #expect(error?.reason == (name.isEmpty ? .directoryNotPrivate : .fileNotPrivate))
        #expect(try store.contents() == before)
    }

    @Test func `a process waiting for the lock of a deleted store uses the lock of the next store`() throws {
        let store = try SampleStore()
        let (path, group) = (store.directory.path, DispatchGroup())
        for _ in 0..<8 {
            DispatchQueue.global().async(group: group) {
                let location = StoreLocation(directory: path)
                for _ in 0..<5 {
                    try? EmbeddedKeychain.delete(at: location)
                    _ = try? EmbeddedKeychain(at: location)
                        .perform(
                            .add(NewItem(itemClass: .genericPassword, attributes: Attributes(), secret: nil)),
                            for: SampleStore.caller
                        )
                }
            }
        }
        #expect(group.wait(timeout: .now() + 120) == .success)
        // Whatever the order of deletions and additions, the directory holds one intact store at the end.
        let dump = try StoreDump(store.open())
        #expect(dump.items.count <= 1)
    }
}
