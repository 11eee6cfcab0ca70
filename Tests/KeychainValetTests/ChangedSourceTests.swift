// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import Testing

@testable import Valet

#if !canImport(Darwin)
import KeychainTesting
#endif

/// Values that another program writes to the source during a migration are not lost.
@Suite(.ownKeychain) struct ChangedSourceTests {
    let source: Valet
    let valet: Valet

    init() throws {
        source = .valet(with: try .fresh(), accessibility: .afterFirstUnlock)
        valet = .valet(with: try .fresh(), accessibility: .whenUnlocked)
    }

    /// Moves all items, and calls `change` between reading and writing each one, with the number of calls so far.
    private func move(changing change: (Int) throws -> Void) throws {
        var count = 0
        var migration = Migration(query: source.baseKeychainQuery, destination: valet.sandbox)
        migration.removesSources = true
        try migration.run { pair in
            count += 1
            try change(count)
            return MigratableKeyValuePair(key: try #require(pair.key.base as? String), value: pair.value)
        }
    }

    @Test func `a value changed during a migration is moved with its new content`() throws {
        try source.setString("canary old", forKey: "key")
        try move { if $0 == 1 { try source.setString("canary new", forKey: "key") } }
        #expect(try valet.string(forKey: "key") == "canary new")
        #expect(try source.allKeys() == [])
        try valet.removeAllObjects()
    }

    @Test func `a value replaced during a migration is moved with its new content`() throws {
        try source.setString("canary old", forKey: "key")
        try move { count in
            guard count == 1 else { return }
            try source.removeObject(forKey: "key")
            try source.setString("canary new", forKey: "key")
        }
        #expect(try valet.string(forKey: "key") == "canary new")
        #expect(try source.allKeys() == [])
        try valet.removeAllObjects()
    }

    @Test func `a value that changes in each attempt stays in the source, and moving it throws`() throws {
        try source.setString("canary 0", forKey: "key")
        var last = ""
        #expect(throws: MigrationError.removalFailed) {
            try move { count in
                last = "canary \(count)"
                try source.setString(last, forKey: "key")
            }
        }
        let failure = valet.lastFailure
        #expect(failure?.status == errSecItemNotFound && failure?.error == .couldNotAccessKeychain)
        #expect(try source.string(forKey: "key") == last)
        #expect(try valet.allKeys() == [])
        try source.removeAllObjects()
    }

    @Test func `copying a value that changes in each attempt does not throw removalFailed`() throws {
        let name = try Identifier.fresh()
        let old = Valet.valet(withExplicitlySet: name, accessibility: .whenUnlocked)
        let new = Valet.valet(withExplicitlySet: name, accessibility: .afterFirstUnlock)
        try old.setString("canary 0", forKey: "key")
        var count = 0
        #expect(throws: KeychainError.couldNotAccessKeychain) {
            try new.migrateObjects(from: old) { pair in
                count += 1
                try old.setString("canary \(count)", forKey: "key")
                return MigratableKeyValuePair(key: "key", value: pair.value)
            }
        }
        #expect(new.lastFailure?.status == errSecItemNotFound && new.lastFailure?.operation == .migrate)
        #expect(try old.string(forKey: "key") == "canary \(count)")
        #expect(try new.allKeys() == [])
        try old.removeAllObjects()
    }

    #if !canImport(Darwin)
    @Test func `a value removed during a migration stays removed`() throws {
        for key in ["a", "b"] { try source.setString("canary \(key)", forKey: key) }
        try move { if $0 == 1 { try source.removeObject(forKey: "a") } }
        #expect(try valet.allKeys() == ["b"])
        #expect(try source.allKeys() == [])
    }
    #endif

    @Test func `values added to source and destination during a migration stay`() throws {
        for key in ["a", "b"] { try source.setString("canary \(key)", forKey: key) }
        try valet.setString("canary old", forKey: "old")
        try move { count in
            guard count == 1 else { return }
            try source.setString("canary theirs", forKey: "new")
            try valet.setString("canary theirs", forKey: "theirs")
        }
        #expect(try valet.allKeys() == ["a", "b", "old", "theirs"])
        #expect(try valet.string(forKey: "theirs") == "canary theirs")
        #expect(try valet.string(forKey: "old") == "canary old")
        #expect(try source.allKeys() == ["new"])
        #expect(try source.string(forKey: "new") == "canary theirs")
        for valet in [source, valet] { try valet.removeAllObjects() }
    }

    @Test func `rolling back a copy that conflicts with another program's value keeps that value`() throws {
        let keys: Set = ["a", "b", "c"]
        for key in keys { try source.setString("canary \(key)", forKey: key) }
        try valet.setString("canary old", forKey: "old")
        var copied: [String] = []
        #expect(throws: MigrationError.keyToMigrateAlreadyExistsInValet) {
            try valet.migrateObjects(from: source) { pair in
                let key = try #require(pair.key.base as? String)
                copied.append(key)
                // Adds the last key to the destination before the migration does, as another program might.
                if copied.count == keys.count { try valet.setString("canary theirs", forKey: key) }
                return MigratableKeyValuePair(key: key, value: pair.value)
            }
        }
        #expect(valet.lastFailure?.status == errSecDuplicateItem && valet.lastFailure?.operation == .migrate)
        let last = try #require(copied.last)
        #expect(try valet.allKeys() == ["old", last])
        #expect(try valet.string(forKey: last) == "canary theirs")
        #expect(try valet.string(forKey: "old") == "canary old")
        #expect(try source.allKeys() == keys)
        for valet in [source, valet] { try valet.removeAllObjects() }
    }

    #if !canImport(Darwin)
    @Test func `values added to source and destination meanwhile stay after a failed removal`() throws {
        for key in ["a", "b"] { try source.setString("canary \(key)", forKey: key) }
        try valet.setString("canary old", forKey: "old")
        let keychain = try TemporaryKeychain.current
        #expect(throws: MigrationError.removalFailed) {
            try move { count in
                guard count == 1 else { return }
                try source.setString("canary theirs", forKey: "new")
                try valet.setString("canary theirs", forKey: "theirs")
                keychain.failNext(errSecIO, in: [.delete])
            }
        }
        #expect(keychain.removeFaults() == 0)
        #expect(try valet.allKeys() == ["old", "theirs"])
        #expect(try valet.string(forKey: "theirs") == "canary theirs")
        #expect(try source.allKeys() == ["a", "b", "new"])
    }
    #endif

    @Test func `a value changed while its accessibility changes is kept`() throws {
        let name = try Identifier.fresh()
        let old = Valet.valet(withExplicitlySet: name, accessibility: .whenUnlocked)
        let new = Valet.valet(withExplicitlySet: name, accessibility: .afterFirstUnlock)
        try old.setString("canary old", forKey: "key")
        var isFirst = true
        try new.migrateObjects(from: old) { pair in
            if isFirst { try old.setString("canary new", forKey: "key") }
            isFirst = false
            return MigratableKeyValuePair(key: "key", value: pair.value)
        }
        #expect(try new.string(forKey: "key") == "canary new")
        #expect(try old.allKeys() == [])
        try new.removeAllObjects()
    }

    @Test func `a closure cannot change a value that is migrated in place`() throws {
        let name = try Identifier.fresh()
        let old = Valet.valet(withExplicitlySet: name, accessibility: .whenUnlocked)
        let new = Valet.valet(withExplicitlySet: name, accessibility: .afterFirstUnlock)
        try old.setString("canary old", forKey: "key")
        #expect(throws: MigrationError.keyToMigrateAlreadyExistsInValet) {
            try new.migrateObjects(from: old) { _ in
                MigratableKeyValuePair(key: "key", value: "canary mapped")
            }
        }
        #expect(try old.string(forKey: "key") == "canary old")
        try new.migrateObjects(from: old) { _ in MigratableKeyValuePair(key: "new", value: "canary mapped") }
        #expect(try old.string(forKey: "key") == "canary old")
        #expect(try new.string(forKey: "new") == "canary mapped")
        for valet in [old, new] { try valet.removeAllObjects() }
    }

    @Test func `the value that a thread writes last is moved`() async throws {
        let service = source.service
        for _ in 0..<5 {
            try source.setString("canary 0", forKey: "key")
            let writer = Task {
                await BlockingCalls.run {
                    var last = "canary 0"
                    let query = Query(service.attributes).adding(account: "key")
                    for number in 1...200 {
                        let text = "canary \(number)"
                        let value = Query([:]).adding(kSecValueData, Data(text.utf8))
                        // The update fails once the migration has moved the item.
                        guard
                            SecItem.update(attributes: value.dictionary, forItemsMatching: query.dictionary)
                                == errSecSuccess
                        else { break }
                        last = text
                    }
                    return last
                }
            }
            var isMoved = false
            while !isMoved {
                do {
                    try valet.migrateObjects(from: source, removeOnCompletion: true)
                    isMoved = true
                } catch MigrationError.removalFailed {}
            }
            let last = await writer.value
            #expect(try valet.string(forKey: "key") == last)
            try valet.removeAllObjects()
        }
    }
}
