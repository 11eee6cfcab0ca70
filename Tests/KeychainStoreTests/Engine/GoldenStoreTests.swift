// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

/// Golden stores: stores in the current format, two per feature, written by `Scripts/update-golden`.
///
/// The format is provisional until 1.0. From 1.0 on, every version must read the golden stores of all earlier
/// versions.
enum GoldenStore {
    static let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Fixtures").standardizedFileURL

    static let all = variants("plain")
    static let locked = variants("locked")
    /// Stores with a passcode and with items that have an access control.
    static let constrained = variants("constrained")
    /// Stores with a passcode and with items that open with a finger.
    static let fingers = variants("fingers")

    /// The two variants of a store: `clean` was closed, `log` has its last writes only in the write-ahead log.
    private static func variants(_ feature: String) -> [String] {
        ["stores/\(feature)/clean", "stores/\(feature)/log"]
    }

    static func contents(of name: String) throws -> StoreDump {
        try JSONDecoder().decode(
            StoreDump.self,
            from: Data(contentsOf: fixtures.appending(path: name + ".json"))
        )
    }

    /// Runs a test with a private copy of a golden store, so that the original stays unchanged.
    static func withCopy<Result>(of name: String, _ body: (StoreLocation) throws -> Result) throws -> Result {
        let keys = try KeyDirectory()
        return try TestTool.withDirectory { directory in
            let original = fixtures.appending(path: name)
            for file in try FileManager.default.contentsOfDirectory(atPath: original.path) {
                let made = FileManager.default.createFile(
                    atPath: directory.appending(component: file).path,
                    contents: try Data(contentsOf: original.appending(component: file)),
                    attributes: [.posixPermissions: 0o600]
                )
                try #require(made)
            }
            return try body(keys.location(of: directory, createsIfMissing: false))
        }
    }
}

@Suite struct LockedGoldenStoreTests {
    @Test(arguments: GoldenStore.locked)
    func `a golden store with a passcode is locked, and opens with it`(name: String) throws {
        let expected = try GoldenStore.contents(of: name)
        try GoldenStore.withCopy(of: name) { location in
            let keychain = try EmbeddedKeychain(at: location)
            for item in expected.items where !item.tombstone {
                let reference = try PersistentReference(Array(#require(Data(hex: item.reference))))
                let filter = ItemFilter(itemClass: reference.itemClass, reference: reference)
                let copy = Request.copy(CopyRequest(filter: filter, returning: [.data, .attributes]))
                let caller = Caller(applicationIdentifier: "golden", accessGroups: [Caller.everyGroup])
                if item.protection.hasPrefix("dk") {
                    _ = try keychain.perform(copy, for: caller)
                } else {
                    expect(.interactionNotAllowed) { _ = try keychain.perform(copy, for: caller) }
                }
            }
            #expect(throws: StatusError(.authenticationFailed, .passcodeWrong)) {
                try keychain.unlock(with: SecretBytes("golden"))
            }
            try keychain.unlock(with: SecretBytes(LockedGoldenContents.passcode))
            let dump = try StoreDump(keychain)
            #expect(dump.store == expected.store)
            #expect(dump.items == expected.items)
            guard case .status(let status) = try keychain.perform(.status, for: SampleStore.caller) else {
                return
            }
            #expect(status.lockSettings == LockSettings(interval: 300, locksOnSleep: true))
        }
    }
}

@Suite struct GoldenStoreTests {
    @Test(arguments: GoldenStore.all)
    func `a golden store is readable`(name: String) throws {
        let expected = try GoldenStore.contents(of: name)
        #expect(expected.items.count >= 10)
        try GoldenStore.withCopy(of: name) { location in
            let keychain = try EmbeddedKeychain(at: location)
            let dump = try StoreDump(keychain)
            #expect(dump.store == expected.store)
            #expect(dump.generation == expected.generation)
            #expect(dump.items.map(\.reference) == expected.items.map(\.reference))
            for (item, expected) in zip(dump.items, expected.items) { #expect(item == expected) }
        }
    }

    @Test(arguments: GoldenStore.all)
    func `each item of a golden store is found by its reference`(name: String) throws {
        let expected = try GoldenStore.contents(of: name)
        try GoldenStore.withCopy(of: name) { location in
            let keychain = try EmbeddedKeychain(at: location)
            let caller = Caller(applicationIdentifier: "golden", accessGroups: [Caller.everyGroup])
            for item in expected.items {
                let reference = try PersistentReference(Array(#require(Data(hex: item.reference))))
                let filter = ItemFilter(
                    itemClass: reference.itemClass,
                    reference: reference,
                    tombstones: item.tombstone
                )
                let copy = CopyRequest(filter: filter, returning: [.data, .attributes])
                guard case .items(let found) = try keychain.perform(.copy(copy), for: caller) else {
                    continue
                }
                #expect(found.map { StoreDump.Item($0) } == [item])
            }
        }
    }

    @Test(arguments: GoldenStore.all)
    func `a golden store can be changed, and keeps the other items`(name: String) throws {
        let expected = try GoldenStore.contents(of: name)
        try GoldenStore.withCopy(of: name) { location in
            let caller = Caller(applicationIdentifier: "golden", accessGroups: ["TEAM.new"])
            var attributes = Attributes()
            attributes[.account] = .string("new")
            let item = NewItem(
                itemClass: .genericPassword,
                attributes: attributes,
                secret: SecretBuffer("new".utf8)
            )
            _ = try EmbeddedKeychain(at: location).perform(.add(item), for: caller)
            let dump = try StoreDump(EmbeddedKeychain(at: location))
            #expect(dump.generation == expected.generation + 1)
            #expect(Set(dump.items).isSuperset(of: expected.items))
            #expect(dump.items.count == expected.items.count + 1)
        }
    }

    static let wanted = ProcessInfo.processInfo.environment["KEYCHAIN_WRITE_GOLDEN"]

    /// Overwrites a golden store; run only by `Scripts/update-golden`.
    @Test(.enabled(if: wanted != nil, "only Scripts/update-golden writes golden stores"))
    func `golden stores are written`() throws {
        let name = try #require(Self.wanted)
        let folder = GoldenStore.fixtures.appending(path: "stores/\(name)")
        let files =
            switch name {
            case "constrained": ConstrainedGoldenContents.files
            case "fingers": FingerGoldenContents.files
            case "locked": LockedGoldenContents.files
            default: GoldenContents.files
            }
        try? FileManager.default.removeItem(at: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for log in [false, true] {
            let store = try SampleStore(log: log, original: files.get())
            let contents = try store.contents()
            let target = folder.appending(component: log ? "log" : "clean")
            try FileManager.default.createDirectory(at: target, withIntermediateDirectories: false)
            for (name, data) in contents where !data.isEmpty {
                try data.write(to: target.appending(component: name))
            }
            #expect((contents["keychain.db-wal"]?.isEmpty == false) == log)
        }
    }
}

/// The contents of a golden store that is locked with a passcode, after two wrong guesses.
enum LockedGoldenContents {
    static let passcode = "golden passcode"

    static let files = Result {
        let store = try SampleStore(filling: SampleStore.samples)
        let keychain = try store.open()
        try keychain.setPasscode(SecretBytes(passcode), cost: PasscodeCost(doublings: 10))
        for (number, name) in ["akpu", "ak", "dku"].enumerated() {
            var attributes = Attributes()
            attributes[.account] = .string("with passcode \(number)")
            attributes[.accessible] = .string(name)
            let item = NewItem(
                itemClass: .genericPassword,
                attributes: attributes,
                secret: SecretBuffer("secret \(name)".utf8)
            )
            _ = try keychain.perform(.add(item), for: SampleStore.caller)
        }
        try keychain.set(LockSettings(interval: 300, locksOnSleep: true))
        try keychain.lock()
        for _ in 0..<2 { _ = try? keychain.unlock(with: SecretBytes("wrong")) }
        return try store.contents()
    }
}

/// The contents of a golden store: each type of value, and items that were changed after they were added.
enum GoldenContents {
    private static let caller = Caller(
        applicationIdentifier: "TEAM.app",
        accessGroups: ["TEAM.app", "TEAM.gr\u{fc}n"]
    )

    static let files = Result {
        let store = try SampleStore(filling: SampleStore.samples)
        let keychain = try store.open()
        for (attributes, secret) in items {
            let itemClass: ItemClass = attributes[.server] == nil ? .genericPassword : .internetPassword
            let item = NewItem(itemClass: itemClass, attributes: attributes, secret: secret)
            _ = try keychain.perform(.add(item), for: caller)
        }
        // Changes only the attributes of one item; its value stays the same, but is encrypted again. Then changes
        // only the value of another item.
        var label = Attributes()
        label[.label] = .string("changed twice")
        for _ in 0..<2 {
            let update = UpdateRequest(filter: SampleStore.samples[6].filter, attributes: label)
            _ = try keychain.perform(.update(update), for: SampleStore.caller)
        }
        let update = UpdateRequest(
            filter: SampleStore.samples[7].filter,
            secret: SecretBuffer("changed".utf8)
        )
        _ = try keychain.perform(.update(update), for: SampleStore.caller)
        return try store.contents()
    }

    private static let items: [(Attributes, SecretBuffer?)] = {
        var values = Attributes()
        values[.account] = .data([0, 0xff, 0x80])
        values[.service] = .number(7)
        values[.generic] = .data(Array("generic".utf8))
        values[.description] = .string("\u{1F511} k\u{e9}y \u{202e}")
        values[.comment] = .string(String(repeating: "long ", count: 500))
        values[.creator] = .number(-1)
        values[.type] = .string("htps")
        values[.scriptCode] = .number(1 << 40)
        values[.isInvisible] = .number(1)
        values[.alias] = .string("")
        values[.accessGroup] = .string("TEAM.gr\u{fc}n")
        var internet = Attributes()
        internet[.account] = .string("")
        internet[.server] = .string("b\u{fc}cher.example")
        internet[.securityDomain] = .string("realm")
        internet[.protocol] = .string("htps")
        internet[.authenticationType] = .data(Array("dflt".utf8))
        internet[.port] = .number(65_536)
        internet[.path] = .string("/a/b")
        internet[.synchronizable] = .number(1)
        internet[.accessible] = .string("cku")
        var hint = Attributes()
        hint[.account] = .string("hinted")
        hint[.syncViewHint] = .string("view")
        hint[.tokenID] = .string("token")
        var large = Attributes()
        large[.account] = .string("large")
        return [
            (values, SecretBuffer((0...255).map { UInt8($0) })), (internet, SecretBuffer("\u{0}".utf8)),
            (hint, SecretBuffer()),
            (large, SecretBuffer((0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })),
            (Attributes(), nil),
        ]
    }()
}
