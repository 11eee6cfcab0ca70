// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import Testing
import Valet

/// Migrations between valets: which items they copy, update in place or remove, and how they report progress.
@Suite(.ownKeychain) struct MigrationTests {
    private let values = ["yo": "canary one", "we": "canary two", "you": "canary three"]

    private func fill(_ valet: Valet) throws {
        for (key, value) in values { try valet.setString(value, forKey: key) }
    }

    private func expectValues(in valet: Valet, _ location: SourceLocation = #_sourceLocation) throws {
        #expect(try valet.allKeys() == Set(values.keys), sourceLocation: location)
        for (key, value) in values {
            #expect(try valet.string(forKey: key) == value, sourceLocation: location)
        }
    }

    @Test(
        arguments: Kind.table.flatMap { from in Kind.table.map { (from, $0) } }.filter { $0.name != $1.name }
    )
    func `every kind of valet can be migrated to every other`(from: Kind, to: Kind) throws {
        let source = try #require(try from.make(.afterFirstUnlock))
        let valet = try #require(try to.make(.whenUnlocked))
        #expect(source.canAccessKeychain() && valet.canAccessKeychain())
        try fill(source)
        try valet.migrateObjects(from: source, removeOnCompletion: false)
        // If both valets have the same service and group, the migration updated the items in place, so the
        // source is empty.
        if try !source.allKeys().isEmpty { try expectValues(in: source) }
        try expectValues(in: valet)
        try valet.removeAllObjects()
        try source.removeAllObjects()
    }

    @Test(arguments: Kind.table) func `sources of every kind are removed on request`(kind: Kind) throws {
        let source = try #require(try kind.make(.afterFirstUnlock))
        let valet = Valet.valet(with: try .fresh(), accessibility: .whenUnlocked)
        try fill(source)
        try valet.migrateObjects(from: source, removeOnCompletion: true)
        try expectValues(in: valet)
        #expect(try source.allKeys() == [])
        try valet.removeAllObjects()
    }

    @Test func `only copied items are removed on request`() throws {
        let source = Valet.valet(with: try .fresh(), accessibility: .afterFirstUnlock)
        let valet = Valet.valet(with: try .fresh(), accessibility: .whenUnlocked)
        try fill(source)
        #expect(source.canAccessKeychain())
        let service =
            "VAL_VALValet_initWithIdentifier:accessibility:_\(source.identifier)_AccessibleAfterFirstUnlock"
        let stray = RawItem(
            service: service,
            account: "stray",
            value: nil,
            more: [kSecAttrAccessible as String: "ck"]
        )
        try stray.add()
        try valet.migrateObjects(from: source, removeOnCompletion: true)
        try expectValues(in: valet)
        #expect(try source.allKeys() == ["stray"])
        #expect(stray.exists)
        #expect(RawItem(service: service, account: "VAL_KeychainCanaryUsername").exists)
        try source.removeAllObjects()
        try valet.removeAllObjects()
    }

    @Test func `a copy has only the account and value of its source`() throws {
        let source = Valet.valet(withExplicitlySet: try .fresh(), accessibility: .afterFirstUnlock)
        let name = try Identifier.fresh()
        let valet = Valet.valet(withExplicitlySet: name, accessibility: .whenUnlocked)
        let more: [CFString: Any] = [
            kSecAttrAccessible: "ck", kSecAttrLabel: "label", kSecAttrComment: "comment",
            kSecAttrDescription: "description", kSecAttrGeneric: Data([1]), kSecAttrType: 7,
        ]
        let item = RawItem(
            service: source.identifier.description,
            more: Dictionary(uniqueKeysWithValues: more.map { ($0.key as String, $0.value) })
        )
        try item.add()
        try valet.migrateObjects(from: source, removeOnCompletion: true)
        let stored = try RawItem(service: name.description).stored()
        #expect(stored[kSecValueData as String] as? Data == Data("canary value".utf8))
        for key in [kSecAttrLabel, kSecAttrComment, kSecAttrDescription, kSecAttrGeneric, kSecAttrType] {
            #expect(stored[key as String] == nil, "\(key)")
        }
        #expect(!item.exists)
        try valet.removeAllObjects()
    }

    @Test func `items copied by a closure stay in the source`() throws {
        let source = Valet.valet(with: try .fresh(), accessibility: .afterFirstUnlock)
        let valet = Valet.valet(with: try .fresh(), accessibility: .whenUnlocked)
        try fill(source)
        try valet.migrateObjects(from: source) { pair in
            MigratableKeyValuePair(key: "new \(pair.key)", value: pair.value)
        }
        #expect(try valet.allKeys() == Set(values.keys.map { "new \($0)" }))
        try expectValues(in: source)
        try source.removeAllObjects()
        try valet.removeAllObjects()
    }

    @Test(arguments: [true, false], [Accessibility.afterFirstUnlock, .whenUnlockedThisDeviceOnly])
    func `the accessibility of an explicitly set identifier is updated in place`(
        removes: Bool,
        accessibility: Accessibility
    ) throws {
        let name = try Identifier.fresh()
        let old = Valet.valet(withExplicitlySet: name, accessibility: .whenUnlocked)
        let new = Valet.valet(withExplicitlySet: name, accessibility: accessibility)
        try fill(old)
        let created = try old.items().map(\.created)
        try new.migrateObjects(from: old, removeOnCompletion: removes)
        try expectValues(in: new)
        #expect(try old.allKeys() == [])
        #expect(try new.items().map(\.created) == created)
        #expect(try new.items().allSatisfy { $0.accessibility == accessibility })
        try new.removeAllObjects()
    }

    @Test func `writing to an explicitly set identifier changes the accessibility of the item`() throws {
        let name = try Identifier.fresh()
        let old = Valet.valet(withExplicitlySet: name, accessibility: .whenUnlocked)
        let new = Valet.valet(withExplicitlySet: name, accessibility: .afterFirstUnlock)
        try old.setString("canary old", forKey: "key")
        #expect(throws: KeychainError.itemNotFound) { try new.string(forKey: "key") }
        try new.setString("canary new", forKey: "key")
        #expect(try new.string(forKey: "key") == "canary new")
        #expect(throws: KeychainError.itemNotFound) { try old.string(forKey: "key") }
        try new.removeAllObjects()
    }

    @Test func `a value with another accessibility is not overwritten`() throws {
        let name = try Identifier.fresh()
        let other = Valet.valet(withExplicitlySet: name, accessibility: .afterFirstUnlock)
        let valet = Valet.valet(withExplicitlySet: name, accessibility: .whenUnlocked)
        let source = Valet.valet(with: try .fresh(), accessibility: .whenUnlocked)
        try other.setString("canary other", forKey: "yo")
        try fill(source)
        #expect(throws: MigrationError.keyToMigrateAlreadyExistsInValet) {
            try valet.migrateObjects(from: source, removeOnCompletion: true)
        }
        #expect(try other.string(forKey: "yo") == "canary other")
        try expectValues(in: source)
        for valet in [other, source] { try valet.removeAllObjects() }
    }

    @Test(arguments: [0, 63, 64, 100])
    func `a destination of any size is checked for duplicates`(count: Int) throws {
        let source = Valet.valet(with: try .fresh(), accessibility: .whenUnlocked)
        let valet = Valet.valet(with: try .fresh(), accessibility: .whenUnlocked)
        try fill(source)
        for number in 0..<count { try valet.setString("canary old", forKey: "\(number)") }
        try valet.migrateObjects(from: source, removeOnCompletion: false)
        #expect(try valet.allKeys().count == count + values.count)
        #expect(throws: MigrationError.keyToMigrateAlreadyExistsInValet) {
            try valet.migrateObjects(from: source, removeOnCompletion: true)
        }
        try expectValues(in: source)
        for valet in [source, valet] { try valet.removeAllObjects() }
    }

    @Test func `a migration reports progress`() throws {
        let source = Valet.valet(with: try .fresh(), accessibility: .whenUnlocked)
        let valet = Valet.valet(with: try .fresh(), accessibility: .whenUnlocked)
        try fill(source)
        let progress = Progress(totalUnitCount: 0)
        try valet.migrateObjects(from: source, removeOnCompletion: true, progress: progress)
        #expect(progress.totalUnitCount == 6 && progress.completedUnitCount == 6)
        try expectValues(in: valet)
        #expect(try source.allKeys() == [])
        try valet.removeAllObjects()
    }

    @Test func `the progress of an empty migration is complete`() throws {
        let name = try Identifier.fresh()
        let source = Valet.valet(withExplicitlySet: name, accessibility: .whenUnlocked)
        let valet = Valet.valet(with: try .fresh(), accessibility: .whenUnlocked)
        try RawItem(
            service: name.description,
            value: nil,
            more: [kSecAttrAccessible as String: "ak"]
        ).add()
        let progress = Progress(totalUnitCount: 100)
        try valet.migrateObjects(from: source, removeOnCompletion: true, progress: progress)
        #expect(progress.isFinished && progress.fractionCompleted == 1)
        #expect(progress.totalUnitCount == 1)
        try source.removeAllObjects()
    }

    @Test func `a migration cancelled before it starts changes nothing`() throws {
        let source = Valet.valet(with: try .fresh(), accessibility: .whenUnlocked)
        let valet = Valet.valet(with: try .fresh(), accessibility: .whenUnlocked)
        try fill(source)
        let progress = Progress(totalUnitCount: 0)
        progress.cancel()
        #expect(throws: KeychainError.userCancelled) {
            try valet.migrateObjects(from: source, removeOnCompletion: true, progress: progress)
        }
        try expectValues(in: source)
        #expect(try valet.allKeys() == [])
        try source.removeAllObjects()
    }

    @Test func `items of a query are migrated with progress`() throws {
        let source = Valet.valet(withExplicitlySet: try .fresh(), accessibility: .whenUnlocked)
        let valet = Valet.valet(with: try .fresh(), accessibility: .whenUnlocked)
        try fill(source)
        let query: [String: AnyHashable] = [
            kSecClass as String: kSecClassGenericPassword as String,
            kSecAttrService as String: source.identifier.description,
        ]
        let progress = Progress(totalUnitCount: 0)
        try valet.migrateObjects(matching: query, removeOnCompletion: false, progress: progress)
        #expect(progress.totalUnitCount == 3)
        try expectValues(in: valet)
        for valet in [source, valet] { try valet.removeAllObjects() }
    }
}
