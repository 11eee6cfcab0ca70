// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import Foundation
import KeychainServices
import KeychainTesting
import Testing
import Valet

@Suite(.ownKeychain) struct SinglePromptTests {
    let keychain: TemporaryKeychain
    let valet: SinglePromptSecureEnclaveValet

    init() throws {
        keychain = try .current
        try keychain.setPasscode("canary passcode")
        keychain.answerPrompts(with: .passcode)
        // A new identifier for each test, so that no authenticated context of another test is reused.
        valet = .valet(with: try .fresh(), accessControl: .userPresence)
    }

    private var service: String {
        "VAL_VALSinglePromptSecureEnclaveValet_initWithIdentifier:accessibility:_\(valet.identifier)"
            + "_AccessibleWhenPasscodeSetThisDeviceOnly"
    }

    @Test func `only the first read prompts`() throws {
        try valet.setString("canary one", forKey: "a")
        try valet.setObject(Data("canary two".utf8), forKey: "b")
        #expect(keychain.prompts.isEmpty)
        #expect(try valet.string(forKey: "a", withPrompt: "canary reason") == "canary one")
        #expect(keychain.prompts.count == 1)
        #expect(keychain.prompts.first?.text.contains("canary reason") == true)
        #expect(try valet.object(forKey: "b", withPrompt: "canary") == Data("canary two".utf8))
        #expect(try valet.allKeys(userPrompt: "canary") == ["a", "b"])
        try valet.setString("canary three", forKey: "a")
        #expect(try valet.string(forKey: "a", withPrompt: "") == "canary three")
        #expect(keychain.prompts.count == 1)
    }

    @Test func `listing keys prompts, and reading afterwards does not`() throws {
        #expect(try valet.allKeys(userPrompt: "canary") == [])
        try valet.setString("canary", forKey: "a")
        #expect(valet.canAccessKeychain())
        #expect(keychain.prompts.isEmpty)
        #expect(try valet.allKeys(userPrompt: "canary reason") == ["a"])
        #expect(try valet.string(forKey: "a", withPrompt: "") == "canary")
        #expect(keychain.prompts.count == 1)
        #expect(keychain.prompts.first?.text.contains("canary reason") == true)
    }

    @Test func `a prompt can be required again`() throws {
        try valet.setString("canary", forKey: "a")
        for count in 1...3 {
            #expect(try valet.string(forKey: "a", withPrompt: "canary") == "canary")
            #expect(try valet.string(forKey: "a", withPrompt: "canary") == "canary")
            #expect(keychain.prompts.count == count)
            valet.requirePromptOnNextAccess()
        }
    }

    @Test func `the authentication result is released with the object`() throws {
        let name = try Identifier.fresh()
        for count in 1...2 {
            let valet = SinglePromptSecureEnclaveValet.valet(with: name, accessControl: .userPresence)
            try valet.setString("canary", forKey: "a")
            #expect(try valet.string(forKey: "a", withPrompt: "") == "canary")
            #expect(keychain.prompts.count == count)
        }
    }

    @Test func `containsObject and removing do not prompt`() throws {
        try valet.setString("canary", forKey: "a")
        #expect(try valet.containsObject(forKey: "a"))
        #expect(try !valet.containsObject(forKey: "b"))
        try valet.removeObject(forKey: "a")
        try valet.removeObject(forKey: "a")
        try valet.removeAllObjects()
        #expect(keychain.prompts.isEmpty)
        #expect(throws: KeychainError.itemNotFound) { try valet.string(forKey: "a", withPrompt: "") }
        #expect(throws: KeychainError.emptyKey) { try valet.string(forKey: "", withPrompt: "") }
        #expect(throws: KeychainError.emptyKey) { try valet.removeObject(forKey: "") }
        #expect(throws: KeychainError.emptyValue) { try valet.setString("", forKey: "a") }
        #expect(throws: KeychainError.couldNotAccessKeychain) { try valet.containsObject(forKey: "") }
        #expect(valet.lastFailure?.status == errSecParam)
    }

    @Test func `a cancelled prompt gives no authentication result`() throws {
        try valet.setString("canary", forKey: "a")
        keychain.answerPrompts(with: .cancel, .passcode)
        #expect(throws: KeychainError.userCancelled) { try valet.string(forKey: "a", withPrompt: "canary") }
        #expect(valet.lastFailure?.status == errSecUserCanceled)
        #expect(try valet.string(forKey: "a", withPrompt: "canary") == "canary")
        #expect(keychain.prompts.count == 2)
    }

    @Test func `concurrent reads prompt once`() async throws {
        let valet = valet
        for number in 0..<8 { try valet.setString("canary \(number)", forKey: "\(number)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let text = try await valet.async.string(forKey: "\(number)", withPrompt: "canary")
                    #expect(text == "canary \(number)")
                }
            }
            try await group.waitForAll()
        }
        #expect(keychain.prompts.count == 1)
    }

    @Test func `an item has its service and access control`() throws {
        try valet.setString("canary", forKey: "key")
        let stored = try RawItem(service: service, account: "key").stored()
        let expected = SecAccessControlCreateWithFlags(
            nil,
            kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly,
            .userPresence,
            nil
        )
        #expect(stored[kSecAttrAccessControl as String] as? SecAccessControl == expected)
        #expect(stored[kSecAttrAccessible as String] as? String == "akpu")
    }

    @Test func `migrating values to a single-prompt valet does not prompt`() throws {
        let source = Valet.valet(with: try .fresh(), accessibility: .afterFirstUnlock)
        try source.setString("canary", forKey: "key")
        try valet.migrateObjects(from: source, removeOnCompletion: false)
        #expect(throws: MigrationError.keyToMigrateAlreadyExistsInValet) {
            try valet.migrateObjects(from: source, removeOnCompletion: true)
        }
        #expect(throws: MigrationError.invalidQuery) {
            try valet.migrateObjects(matching: [:], removeOnCompletion: false)
        }
        #expect(keychain.prompts.isEmpty)
        #expect(try valet.string(forKey: "key", withPrompt: "") == "canary")
    }

    @Test func `every call has an asynchronous variant`() async throws {
        let twin = valet.async
        #expect(await twin.canAccessKeychain())
        try await twin.setString("canary", forKey: "text")
        try await twin.setObject(Data([1]), forKey: "bytes")
        #expect(try await twin.string(forKey: "text", withPrompt: "") == "canary")
        #expect(try await twin.object(forKey: "bytes", withPrompt: "") == Data([1]))
        #expect(try await twin.containsObject(forKey: "bytes"))
        #expect(try await twin.allKeys(userPrompt: "") == ["bytes", "text"])
        try await twin.removeObject(forKey: "bytes")
        try await twin.removeAllObjects()
        #expect(keychain.prompts.count == 1)
        try valet.setValue(encoding: ["canary"], forKey: "key")
        #expect(try valet.value([String].self, forKey: "key", withPrompt: "") == ["canary"])
        #expect(valet.diagnose().verdict == .usable)
        #expect(await twin.diagnose().verdict == .usable)
        try await twin.setValue(encoding: ["canary new"], forKey: "key")
        #expect(try await twin.value([String].self, forKey: "key", withPrompt: "") == ["canary new"])
        #expect(keychain.prompts.count == 1)
    }

    @Test func `every migration has an asynchronous variant`() async throws {
        let name = try Identifier.fresh()
        let single = SinglePromptSecureEnclaveValet.valet(with: name, accessControl: .userPresence)
        let enclave = SecureEnclaveValet.valet(with: name, accessControl: .userPresence)
        let source = Valet.valet(withExplicitlySet: try .fresh(), accessibility: .whenUnlocked)
        try source.setString("canary", forKey: "key")
        func query() -> [String: AnyHashable] {
            [
                kSecClass as String: kSecClassGenericPassword as String,
                kSecAttrService as String: source.identifier.description,
            ]
        }
        try await single.async.migrateObjects(matching: query(), removeOnCompletion: false)
        #expect(try await single.async.allKeys(userPrompt: "") == ["key"])
        try await enclave.async.migrateObjectsFromSinglePromptSecureEnclaveValet(removeOnCompletion: true)
        try await single.async.migrateObjects(from: source, removeOnCompletion: false)
        try await enclave.async.removeAllObjects()
        try await enclave.async.migrateObjects(matching: query(), removeOnCompletion: false)
        try await enclave.async.removeAllObjects()
        try await enclave.async.migrateObjects(from: source, removeOnCompletion: true)
        #expect(try await enclave.async.string(forKey: "key") == "canary")
        try await enclave.async.setValue(encoding: ["canary"], forKey: "value")
        #expect(try await enclave.async.value([String].self, forKey: "value") == ["canary"])
        #expect(await enclave.async.diagnose().verdict == .usable)
        #expect(try source.allKeys() == [])
    }
}
#endif
