// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import Testing
import Valet

/// What a migration checks before it writes, and in which order.
@Suite(.ownKeychain) struct MigrationCheckTests {
    let source: Identifier
    let valet: Valet

    init() throws {
        source = try .fresh()
        valet = .valet(with: try .fresh(), accessibility: .whenUnlocked)
    }

    /// A valid query for the items to migrate.
    private var query: [String: AnyHashable] {
        [
            kSecClass as String: kSecClassGenericPassword as String,
            kSecAttrService as String: source.description, kSecUseDataProtectionKeychain as String: true,
        ]
    }

    private func add(_ account: Any? = "canary account", _ value: Data? = Data("canary".utf8)) throws {
        try RawItem(service: source.description, account: account, value: value).add()
    }

    private func removeAll() throws {
        SecItemDelete(query as CFDictionary)
        try valet.removeAllObjects()
    }

    /// A change of a valid query, described by what the changed query asks for.
    ///
    /// The addition *as CF* means that the entry is a CoreFoundation object, not a Swift value.
    struct Entry: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (inout [String: AnyHashable]) -> Void

        static let bad: [Self] = [
            .init(testDescription: "nothing") { $0 = [:] },
            .init(testDescription: "one") { $0[kSecMatchLimit as String] = kSecMatchLimitOne as String },
            .init(testDescription: "the number 1") { $0[kSecMatchLimit as String] = 1 },
            .init(testDescription: "values") { $0[kSecReturnData as String] = true },
            .init(testDescription: "values, as CF") { $0[kSecReturnData as String] = kCFBooleanTrue },
            .init(testDescription: "no attributes") { $0[kSecReturnAttributes as String] = false },
            .init(testDescription: "no attributes, as CF") {
                $0[kSecReturnAttributes as String] = kCFBooleanFalse
            },
            .init(testDescription: "objects") { $0[kSecReturnRef as String] = kCFBooleanTrue },
            .init(testDescription: "no references") {
                $0[kSecReturnPersistentRef as String] = kCFBooleanFalse
            },
            .init(testDescription: "no class") { $0[kSecClass as String] = nil },
            .init(testDescription: "another class") {
                $0[kSecClass as String] = kSecClassInternetPassword as String
            },
            .init(testDescription: "a constraint") { $0[kSecAttrAccessControl as String] = NSNull() },
        ]

        static let good: [Self] = [
            .init(testDescription: "nothing more") { _ in },
            .init(testDescription: "all") { $0[kSecMatchLimit as String] = kSecMatchLimitAll as String },
            .init(testDescription: "all, as CF") { $0[kSecMatchLimit as String] = kSecMatchLimitAll },
            .init(testDescription: "no values") { $0[kSecReturnData as String] = false },
            .init(testDescription: "no objects") { $0[kSecReturnRef as String] = kCFBooleanFalse },
            .init(testDescription: "attributes") { $0[kSecReturnAttributes as String] = kCFBooleanTrue },
            .init(testDescription: "references") { $0[kSecReturnPersistentRef as String] = true },
            .init(testDescription: "the class, as CF") { $0[kSecClass as String] = kSecClassGenericPassword },
        ]
    }

    @Test(arguments: Entry.bad)
    func `an invalid migration query is rejected`(entry: Entry) throws {
        try add()
        var query = query
        entry.change(&query)
        #expect(throws: MigrationError.invalidQuery) {
            try valet.migrateObjects(matching: query, removeOnCompletion: false)
        }
        #expect(throws: MigrationError.invalidQuery) {
            try valet.migrateObjects(matching: query) { _ in nil }
        }
        #expect(try valet.allKeys() == [])
        try removeAll()
    }

    @Test(arguments: Entry.good)
    func `a query may contain the keys that a migration adds anyway`(entry: Entry) throws {
        try add()
        var query = query
        entry.change(&query)
        try valet.migrateObjects(matching: query, removeOnCompletion: false)
        #expect(try valet.string(forKey: "canary account") == "canary")
        try removeAll()
    }

    @Test func `a query without matches returns itemNotFound`() {
        #expect(throws: KeychainError.itemNotFound) {
            try valet.migrateObjects(matching: query, removeOnCompletion: true)
        }
        #expect(throws: KeychainError.itemNotFound) {
            try valet.migrateObjects(matching: query) { _ in nil }
        }
    }

    @Test func `items without a value and the canary are not migrated`() throws {
        try add("no value", nil)
        try add("VAL_KeychainCanaryUsername")
        try valet.migrateObjects(matching: query, removeOnCompletion: true)
        #expect(try valet.allKeys() == [])
        #expect(RawItem(service: source.description, account: "no value").exists)
        try removeAll()
    }

    @Test func `an empty value is rejected`() throws {
        try add("key", Data())
        #expect(throws: MigrationError.dataToMigrateInvalid) {
            try valet.migrateObjects(matching: query, removeOnCompletion: true)
        }
        try removeAll()
    }

    @Test func `an item without an account is rejected`() throws {
        try add(nil)
        #expect(throws: MigrationError.keyToMigrateInvalid) {
            try valet.migrateObjects(matching: query, removeOnCompletion: true)
        }
        try removeAll()
    }

    @Test func `a data account is rejected, or passed to the closure`() throws {
        try add(Data("bytes".utf8))
        #expect(throws: MigrationError.keyToMigrateInvalid) {
            try valet.migrateObjects(matching: query, removeOnCompletion: true)
        }
        try valet.migrateObjects(matching: query) { pair in
            #expect(pair.key == AnyHashable(Data("bytes".utf8)))
            return MigratableKeyValuePair(key: "text", value: pair.value)
        }
        #expect(try valet.string(forKey: "text") == "canary")
        try removeAll()
    }

    @Test func `a numeric account is rejected, or passed to the closure`() throws {
        try add(NSNumber(value: 7))
        #expect(throws: MigrationError.keyToMigrateInvalid) {
            try valet.migrateObjects(matching: query, removeOnCompletion: true)
        }
        try valet.migrateObjects(matching: query) { pair in
            #expect(pair.key == AnyHashable(NSNumber(value: 7)))
            return MigratableKeyValuePair(key: "text", value: pair.value)
        }
        #expect(try valet.string(forKey: "text") == "canary")
        try removeAll()
    }

    @Test func `a closure can skip items, and its error ends the migration`() throws {
        struct Refusal: Error, Equatable {}
        try add("a")
        try add("b")
        try valet.migrateObjects(matching: query) { pair in
            pair.key == AnyHashable("a") ? MigratableKeyValuePair(key: "new a", value: "canary new") : nil
        }
        #expect(try valet.allKeys() == ["new a"])
        #expect(try valet.string(forKey: "new a") == "canary new")
        #expect(throws: Refusal()) {
            try valet.migrateObjects(matching: query) { pair in
                if pair.key == AnyHashable("b") { throw Refusal() }
                return MigratableKeyValuePair(key: "x", value: "canary")
            }
        }
        #expect(try valet.allKeys() == ["new a"])
        #expect(RawItem(service: source.description, account: "a").exists)
        try removeAll()
    }

    @Test(arguments: [
        ("", "canary", MigrationError.keyToMigrateInvalid), ("", "", .keyToMigrateInvalid),
        ("key", "", .dataToMigrateInvalid),
    ])
    func `an invalid result of the closure is rejected`(
        key: String,
        value: String,
        error: MigrationError
    ) throws {
        try add()
        #expect(throws: error) {
            try valet.migrateObjects(matching: query) { _ in MigratableKeyValuePair(key: key, value: value) }
        }
        try removeAll()
    }

    @Test func `two items with the same key are rejected before empty values`() throws {
        try add("a")
        try add("b")
        let once = Collected<Void>()
        #expect(throws: MigrationError.duplicateKeyToMigrate) {
            try valet.migrateObjects(matching: query) { _ in
                once.append(())
                return MigratableKeyValuePair(key: "one", value: once.all.count == 1 ? "canary" : "")
            }
        }
        #expect(try valet.allKeys() == [])
        try removeAll()
    }

    @Test func `canonically equivalent keys are different`() throws {
        try add("\u{e9}", Data("composed".utf8))
        try add("e\u{301}", Data("decomposed".utf8))
        try valet.migrateObjects(matching: query, removeOnCompletion: true)
        #expect(try valet.string(forKey: "\u{e9}") == "composed")
        #expect(try valet.string(forKey: "e\u{301}") == "decomposed")
        try removeAll()
    }

    @Test func `an existing key is rejected, and nothing changes`() throws {
        try add("a")
        try add("b")
        try valet.setString("canary old", forKey: "b")
        #expect(throws: MigrationError.keyToMigrateAlreadyExistsInValet) {
            try valet.migrateObjects(matching: query, removeOnCompletion: true)
        }
        #expect(try valet.allKeys() == ["b"])
        #expect(try valet.string(forKey: "b") == "canary old")
        #expect(RawItem(service: source.description, account: "a").exists)
        try removeAll()
    }

    @Test func `a valet cannot be migrated to itself`() throws {
        #expect(throws: KeychainError.itemNotFound) {
            try valet.migrateObjects(from: valet, removeOnCompletion: true)
        }
        try valet.setString("canary", forKey: "key")
        #expect(throws: MigrationError.keyToMigrateAlreadyExistsInValet) {
            try valet.migrateObjects(from: valet, removeOnCompletion: true)
        }
        #expect(try valet.string(forKey: "key") == "canary")
        try valet.removeAllObjects()
    }

    /// A string account and a data account with the same bytes are one key, whether the migration lists the
    /// destination or searches for each key.
    @Test(arguments: [0, 62, 63, 64, 100])
    func `a key that exists as data in the destination is a duplicate`(others: Int) throws {
        let service =
            "VAL_VALValet_initWithIdentifier:accessibility:_\(valet.identifier)_AccessibleWhenUnlocked"
        let taken = RawItem(
            service: service,
            account: Data("key".utf8),
            more: [kSecAttrAccessible as String: "ak"]
        )
        try taken.add()
        for number in 0..<others { try valet.setString("canary", forKey: "\(number)") }
        try add("key")
        #expect(throws: MigrationError.keyToMigrateAlreadyExistsInValet) {
            try valet.migrateObjects(matching: query, removeOnCompletion: true)
        }
        #expect(taken.exists)
        try valet.migrateObjects(matching: query) { MigratableKeyValuePair(key: "new", value: $0.value) }
        #expect(try valet.string(forKey: "new") == "canary")
        try removeAll()
    }
}
