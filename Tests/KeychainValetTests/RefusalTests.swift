// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import Foundation
import KeychainServices
import KeychainTesting
import Testing
import Valet

/// Calls in a locked keychain, without an access group, or with a failing keychain: a call that fails throws, and loses
/// no value.
@Suite(.ownKeychain) struct RefusalTests {
    let keychain: TemporaryKeychain
    let valet: Valet

    init() throws {
        keychain = try .current
        valet = .valet(with: try .fresh(), accessibility: .whenUnlocked)
    }

    @Test func `a locked keychain is not reported as a missing value`() throws {
        try keychain.setPasscode("canary passcode")
        try valet.setString("canary", forKey: "key")
        try keychain.lock()
        #expect(throws: KeychainError.couldNotAccessKeychain) { try valet.string(forKey: "key") }
        #expect(valet.lastFailure?.status == errSecInteractionNotAllowed)
        #expect(throws: KeychainError.couldNotAccessKeychain) { try valet.containsObject(forKey: "key") }
        #expect(throws: KeychainError.couldNotAccessKeychain) { try valet.allKeys() }
        #expect(throws: KeychainError.couldNotAccessKeychain) { try valet.items() }
        #expect(throws: KeychainError.couldNotAccessKeychain) {
            try valet.setString("canary new", forKey: "key")
        }
        #expect(throws: KeychainError.couldNotAccessKeychain) {
            try valet.setString("canary new", forKey: "new")
        }
        #expect(!valet.canAccessKeychain())
        #expect(valet["key"] == nil)
        valet["key"] = "canary new"
        let diagnosis = valet.diagnose()
        #expect(diagnosis.verdict == .locked && diagnosis.status == errSecInteractionNotAllowed)
        #expect(diagnosis.description.contains("unlock"))
        try keychain.unlock()
        #expect(try valet.string(forKey: "key") == "canary")
        #expect(try valet.allKeys() == ["key"])
    }

    @Test func `removing a value works while the keychain is locked`() throws {
        try keychain.setPasscode("canary passcode")
        try valet.setString("canary", forKey: "key")
        try valet.setString("canary", forKey: "other")
        try keychain.lock()
        try valet.removeObject(forKey: "key")
        try keychain.unlock()
        #expect(try valet.allKeys() == ["other"])
        try keychain.lock()
        try valet.removeAllObjects()
        try keychain.unlock()
        #expect(try valet.allKeys().isEmpty)
    }

    @Test func `afterFirstUnlock values are readable while the keychain is locked`() throws {
        try keychain.setPasscode("canary passcode")
        let valet = Valet.valet(with: try .fresh(), accessibility: .afterFirstUnlock)
        try valet.setString("canary", forKey: "key")
        try keychain.lock()
        #expect(try valet.string(forKey: "key") == "canary")
        try valet.removeObject(forKey: "key")
    }

    @Test func `a migration changes nothing in a locked keychain`() throws {
        try keychain.setPasscode("canary passcode")
        let source = Valet.valet(with: try .fresh(), accessibility: .afterFirstUnlock)
        try source.setString("canary", forKey: "key")
        try keychain.lock()
        #expect(throws: KeychainError.couldNotAccessKeychain) {
            try valet.migrateObjects(from: source, removeOnCompletion: true)
        }
        try keychain.unlock()
        try valet.setString("canary old", forKey: "key")
        try keychain.lock()
        // Without a closure, the locked destination is refused before the query is checked. With a closure, the search
        // for a key in the locked destination fails, so the key is treated as existing.
        #expect(throws: KeychainError.couldNotAccessKeychain) {
            try valet.migrateObjects(matching: [:], removeOnCompletion: true)
        }
        #expect(throws: KeychainError.emptyKey) { try valet.string(forKey: "") }
        #expect(throws: MigrationError.keyToMigrateAlreadyExistsInValet) {
            try valet.migrateObjects(from: source) { MigratableKeyValuePair(key: "key", value: $0.value) }
        }
        #expect(
            valet.lastFailure?.status == errSecInteractionNotAllowed
                && valet.lastFailure?.operation == .migrate
        )
        #expect(throws: MigrationError.invalidQuery) {
            try valet.migrateObjects(matching: [:]) { _ in nil }
        }
        #expect(valet.lastFailure == nil)
        #expect(throws: KeychainError.couldNotAccessKeychain) {
            try source.migrateObjects(from: valet, removeOnCompletion: true)
        }
        #expect(try source.string(forKey: "key") == "canary")
        try keychain.unlock()
        #expect(try valet.string(forKey: "key") == "canary old")
    }

    @Test func `an access group that the program lacks is a missing entitlement`() throws {
        let group = try #require(SharedGroupIdentifier(appIDPrefix: "OTHER", nonEmptyGroup: "canary"))
        let valet = Valet.sharedGroupValet(with: group, accessibility: .whenUnlocked)
        #expect(throws: KeychainError.missingEntitlement) { try valet.setString("canary", forKey: "key") }
        #expect(throws: KeychainError.missingEntitlement) { try valet.string(forKey: "key") }
        #expect(throws: KeychainError.missingEntitlement) { try valet.containsObject(forKey: "key") }
        #expect(throws: KeychainError.missingEntitlement) { try valet.allKeys() }
        #expect(throws: KeychainError.missingEntitlement) { try valet.removeObject(forKey: "key") }
        #expect(throws: KeychainError.missingEntitlement) { try valet.removeAllObjects() }
        #expect(throws: KeychainError.missingEntitlement) {
            try valet.migrateObjects(matching: [:], removeOnCompletion: true)
        }
        #expect(!valet.canAccessKeychain())
        let diagnosis = valet.diagnose()
        #expect(diagnosis.verdict == .missingEntitlement && diagnosis.status == errSecMissingEntitlement)
        #expect(diagnosis.accessGroup == "OTHER.canary" && diagnosis.defaultAccessGroup == "TEAM.app")
        #expect(diagnosis.description.contains("Add OTHER.canary to keychain-access-groups"))
        #expect(try keychain.itemCount == 0)
    }

    @Test func `a diagnosis removes the temporary item that a killed diagnosis left`() throws {
        let group = try #require(SharedGroupIdentifier(appIDPrefix: "OTHER", nonEmptyGroup: "canary"))
        let valet = Valet.sharedGroupValet(with: group, accessibility: .whenUnlocked)
        // The diagnosis adds its temporary item, and cannot remove it.
        keychain.failNext(errSecIO, times: 2, in: [.delete])
        #expect(valet.diagnose().defaultAccessGroup == "TEAM.app")
        #expect(try keychain.itemCount == 1)
        #expect(keychain.removeFaults() == 0)
        #expect(valet.diagnose().defaultAccessGroup == "TEAM.app")
        #expect(try keychain.itemCount == 0)
    }

    /// Two valets with one explicitly set identifier share the canary, the item that `canAccessKeychain` reads.
    ///
    /// Each call gives the canary the accessibility of its own valet.
    @Test func `a valet accepts the canary of another valet with the same identifier`() throws {
        let name = try Identifier.fresh()
        let valet = Valet.valet(withExplicitlySet: name, accessibility: .whenUnlocked)
        let other = Valet.valet(withExplicitlySet: name, accessibility: .afterFirstUnlock)
        for valet in [valet, other, valet, other] { #expect(valet.canAccessKeychain()) }
        // The first two reads find no canary, as if the other valet had just changed the canary's accessibility.
        keychain.failNext(errSecItemNotFound, times: 2, in: [.copy])
        #expect(valet.canAccessKeychain())
        #expect(keychain.removeFaults() == 0)
        #expect(try valet.allKeys() == [] && other.allKeys() == [])
        #expect(try keychain.itemCount == 1)
        // If no read finds the canary, the keychain is reported as inaccessible.
        keychain.failNext(errSecItemNotFound, times: 3, in: [.copy])
        #expect(!valet.canAccessKeychain())
    }

    @Test func `calls fail without an access group`() throws {
        let diagnosis = keychain.withApplication("canary", accessGroups: []) { valet.diagnose() }
        #expect(diagnosis.verdict == .missingEntitlement && diagnosis.defaultAccessGroup == nil)
        #expect(diagnosis.description.contains("no access group"))
    }

    @Test func `a failing keychain is distinguished from a locked one`() throws {
        keychain.failNext(errSecIO, times: .max)
        #expect(valet.diagnose().verdict == .unavailable)
        #expect(throws: KeychainError.couldNotAccessKeychain) { try valet.setString("canary", forKey: "key") }
        #expect(valet.lastFailure?.status == errSecIO)
        keychain.removeFaults()
    }

    @Test func `a failing overwrite keeps the old value`() throws {
        try valet.setString("canary old", forKey: "key")
        keychain.failNext(errSecDiskFull, in: [.update])
        #expect(throws: KeychainError.couldNotAccessKeychain) { try valet.setString("canary", forKey: "key") }
        #expect(keychain.removeFaults() == 0)
        #expect(try valet.string(forKey: "key") == "canary old")
    }

    @Test func `a write with repeated conflicts is not reported as a missing value`() throws {
        keychain.failNext(errSecItemNotFound, times: 17, in: [.update])
        keychain.failNext(errSecDuplicateItem, times: 16, in: [.add])
        #expect(throws: KeychainError.couldNotAccessKeychain) { try valet.setString("canary", forKey: "key") }
        #expect(valet.lastFailure?.status == errSecDuplicateItem)
        #expect(keychain.removeFaults() == 0)
    }

    @Test(arguments: [
        errSecInteractionNotAllowed, errSecUserCanceled, errSecAuthFailed, errSecMissingEntitlement,
    ])
    func `a failing removal is an error`(status: OSStatus) throws {
        try valet.setString("canary", forKey: "key")
        for remove in [{ try valet.removeObject(forKey: "key") }, { try valet.removeAllObjects() }] {
            keychain.failNext(status, in: [.delete])
            #expect(throws: KeychainError.self) { try remove() }
            #expect(valet.lastFailure?.status == status && valet.lastFailure?.operation == .remove)
        }
        #expect(try valet.string(forKey: "key") == "canary")
    }

    @Test(arguments: [
        (errSecItemNotFound, KeychainError.itemNotFound), (errSecUserCanceled, .userCancelled),
        (errSecAuthFailed, .userCancelled), (errSecMissingEntitlement, .missingEntitlement),
        (errSecInteractionNotAllowed, .couldNotAccessKeychain),
        (errSecDuplicateItem, .couldNotAccessKeychain),
        (errSecParam, .couldNotAccessKeychain), (errSecNotAvailable, .couldNotAccessKeychain),
        (errSecDecode, .couldNotAccessKeychain),
    ])
    func `each status maps to its error`(status: OSStatus, error: KeychainError) throws {
        keychain.failNext(status)
        #expect(throws: error) { try valet.object(forKey: "key") }
        #expect(valet.lastFailure?.status == status)
    }

    @Test func `a copy is rolled back if its source cannot be removed`() throws {
        let source = Valet.valet(with: try .fresh(), accessibility: .whenUnlocked)
        for key in ["a", "b"] { try source.setString("canary \(key)", forKey: key) }
        try valet.setString("canary old", forKey: "old")
        #expect(throws: KeychainError.itemNotFound) { try valet.string(forKey: "missing") }
        keychain.failNext(errSecIO, in: [.delete])
        #expect(throws: MigrationError.removalFailed) {
            try valet.migrateObjects(from: source, removeOnCompletion: true)
        }
        #expect(valet.lastFailure?.status == errSecIO && valet.lastFailure?.operation == .migrate)
        #expect(keychain.removeFaults() == 0)
        #expect(try valet.allKeys() == ["old"] && valet.string(forKey: "old") == "canary old")
        #expect(try source.allKeys() == ["a", "b"])
    }

    @Test(.timeLimit(.minutes(10)))
    func `a failing copy rolls back the previous ones`() async throws {
        let source = Valet.valet(with: try .fresh(), accessibility: .whenUnlocked)
        let keys: Set = ["a", "b", "c"]
        for key in keys { try source.setString("canary \(key)", forKey: key) }
        try valet.setString("canary old", forKey: "old")
        let passed = (0..<2).map { _ in keychain.holdNext(in: [.add]) }
        for call in passed { call.release() }
        let last = keychain.holdNext(in: [.add])
        let valet = valet
        let migration = Task { try await valet.async.migrateObjects(from: source, removeOnCompletion: true) }
        await last.arrival()
        #expect(passed.allSatisfy { $0.hasArrived })
        keychain.failNext(errSecDiskFull, in: [.add])
        last.release()
        await #expect(throws: KeychainError.couldNotAccessKeychain) { try await migration.value }
        #expect(valet.lastFailure?.status == errSecDiskFull && valet.lastFailure?.operation == .migrate)
        #expect(keychain.removeFaults() == 0)
        #expect(try valet.allKeys() == ["old"] && valet.string(forKey: "old") == "canary old")
        #expect(try source.allKeys() == keys)
    }
}
#endif
