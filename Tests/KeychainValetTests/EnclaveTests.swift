// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import Foundation
import KeychainServices
import KeychainTesting
import Testing
import Valet

@Suite(.ownKeychain) struct EnclaveTests {
    let keychain: TemporaryKeychain
    let valet: SecureEnclaveValet

    init() throws {
        keychain = try .current
        try keychain.setPasscode("canary passcode")
        keychain.answerPrompts(with: .passcode)
        valet = .valet(with: try .named("canary"), accessControl: .userPresence)
    }

    private static let service =
        "VAL_VALSecureEnclaveValet_initWithIdentifier:accessibility:_canary_AccessibleWhenPasscodeSetThisDeviceOnly"

    @Test func `each read prompts once, and no other call does`() throws {
        try valet.setString("canary", forKey: "key")
        try valet.setString("canary again", forKey: "key")
        #expect(try valet.containsObject(forKey: "key"))
        #expect(try !valet.containsObject(forKey: "missing"))
        #expect(valet.canAccessKeychain())
        #expect(keychain.prompts.isEmpty)
        #expect(try valet.string(forKey: "key", withPrompt: "canary reason") == "canary again")
        #expect(keychain.prompts.count == 1)
        #expect(keychain.prompts.first?.text.contains("canary reason") == true)
        #expect(try valet.object(forKey: "key") == Data("canary again".utf8))
        #expect(try valet.string(forKey: "key") == "canary again")
        #expect(try valet.object(forKey: "key", withPrompt: "") == Data("canary again".utf8))
        #expect(keychain.prompts.count == 4)
        #expect(throws: KeychainError.itemNotFound) { try valet.string(forKey: "missing") }
        try valet.removeObject(forKey: "key")
        try valet.removeObject(forKey: "key")
        try valet.removeAllObjects()
        #expect(try !valet.containsObject(forKey: "key"))
        #expect(keychain.prompts.count == 4)
    }

    @Test func `an empty value keeps the old one`() throws {
        try valet.setString("canary", forKey: "key")
        #expect(throws: KeychainError.emptyValue) { try valet.setString("", forKey: "key") }
        #expect(throws: KeychainError.emptyKey) { try valet.setString("", forKey: "") }
        #expect(throws: KeychainError.emptyKey) { try valet.object(forKey: "") }
        #expect(throws: KeychainError.emptyKey) { try valet.removeObject(forKey: "") }
        #expect(throws: KeychainError.couldNotAccessKeychain) { try valet.containsObject(forKey: "") }
        #expect(try valet.string(forKey: "key") == "canary")
    }

    @Test(arguments: [
        (TemporaryKeychain.Answer.cancel, KeychainError.userCancelled), (.wrongPasscode, .userCancelled),
        (.unavailable, .couldNotAccessKeychain),
    ])
    func `reading fails without user authentication`(
        answer: TemporaryKeychain.Answer,
        error: KeychainError
    ) throws {
        try valet.setString("canary", forKey: "key")
        keychain.answerPrompts(with: answer)
        #expect(throws: error) { try valet.string(forKey: "key", withPrompt: "canary") }
        #expect(valet.lastFailure?.error == error)
        #expect(try valet.containsObject(forKey: "key"))
    }

    @Test(arguments: [
        (SecureEnclaveAccessControl.userPresence, ""), (.biometricAny, "_AccessControlTouchIDAnyFingerprint"),
        (.biometricCurrentSet, "_AccessControlTouchIDCurrentFingerprintSet"),
        (.devicePasscode, "_AccessControlDevicePasscode"),
    ])
    func `an item has its service and access control`(
        control: SecureEnclaveAccessControl,
        suffix: String
    ) throws {
        let valet = SecureEnclaveValet.valet(with: try .named("canary"), accessControl: control)
        // In this test no finger is enrolled, so the current set of fingers is empty.
        guard control != .biometricCurrentSet else {
            #expect(throws: KeychainError.self) { try valet.setString("canary", forKey: "key") }
            #expect(try !valet.containsObject(forKey: "key"))
            return
        }
        try valet.setString("canary", forKey: "key")
        let item = RawItem(service: Self.service + suffix, account: "key")
        let flags: [SecureEnclaveAccessControl: SecAccessControlCreateFlags] = [
            .userPresence: .userPresence, .biometricAny: .biometryAny,
            .biometricCurrentSet: .biometryCurrentSet, .devicePasscode: .devicePasscode,
        ]
        let expected = SecAccessControlCreateWithFlags(
            nil,
            kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly,
            try #require(flags[control]),
            nil
        )
        // Without a sensor the item cannot be read, so only its existence is tested.
        guard control == .userPresence || control == .devicePasscode else {
            #expect(try valet.containsObject(forKey: "key"))
            #expect(throws: KeychainError.couldNotAccessKeychain) { try valet.string(forKey: "key") }
            return
        }
        let stored = try item.stored()
        #expect((stored[kSecAttrAccessControl as String] as? SecAccessControl) == expected)
        #expect(stored[kSecAttrAccessible as String] as? String == "akpu")
        try valet.setString("canary again", forKey: "key")
        #expect(try item.stored()[kSecAttrAccessControl as String] as? SecAccessControl == expected)
    }

    @Test func `items of versions before 2.1, also in a shared group, are read`() throws {
        let control = try #require(
            SecAccessControlCreateWithFlags(
                nil,
                kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly,
                .userPresence,
                nil
            )
        )
        var more: [String: Any] = [kSecAttrAccessControl as String: control]
        try RawItem(service: Self.service, account: "key", more: more).add()
        #expect(try valet.string(forKey: "key") == "canary value")
        more[kSecAttrAccessGroup as String] = "TEAM.shared"
        let kind = "VAL_VALSecureEnclaveValet_initWithSharedAccessGroupIdentifier:accessibility:"
        let service = kind + "_shared_x_AccessibleWhenPasscodeSetThisDeviceOnly"
        try RawItem(service: service, account: "key", more: more).add()
        let shared = SecureEnclaveValet.sharedGroupValet(
            with: try .team(),
            identifier: try .named("x"),
            accessControl: .userPresence
        )
        #expect(try shared.string(forKey: "key") == "canary value")
    }

    @Test func `the canary is in the service of the plain valet`() throws {
        #expect(valet.canAccessKeychain())
        let service = Self.service.replacingOccurrences(of: "SecureEnclave", with: "")
        #expect(RawItem(service: service, account: "VAL_KeychainCanaryUsername").exists)
        #expect(try keychain.itemCount == 1)
        try keychain.lock()
        #expect(!valet.canAccessKeychain())
    }

    @Test func `a missing fingerprint sensor is not reported as cancelled, and the diagnosis names it`()
        throws
    {
        let valet = SecureEnclaveValet.valet(
            with: try .named("canary finger"),
            accessControl: .biometricCurrentSet
        )
        #expect(throws: KeychainError.couldNotAccessKeychain) { try valet.setString("canary", forKey: "key") }
        #expect(valet.lastFailure?.status == errSecAuthFailed)
        #expect(valet.lastFailure?.message.contains("no sensor") == true)
        let diagnosis = valet.diagnose()
        #expect(diagnosis.verdict == .missingSensor)
        #expect(diagnosis.status == errSecAuthFailed)
        #expect(diagnosis.advice.contains { $0.contains("no sensor") })
    }

    @Test func `values cannot be stored without a passcode`() throws {
        _ = try keychain.removePasscode()
        #expect(throws: KeychainError.userCancelled) { try valet.setString("canary", forKey: "key") }
        #expect(valet.lastFailure?.status == errSecAuthFailed)
        #expect(!valet.canAccessKeychain())
        #expect(valet.diagnose().verdict == .passcodeNotSet)
    }

    @Test(arguments: [TemporaryKeychain.Call.add, .delete])
    func `a failing overwrite keeps the old value`(call: TemporaryKeychain.Call) throws {
        try valet.setString("canary old", forKey: "key")
        // The first add finds the existing item; the second add is in one transaction with the removal of the
        // old item.
        if call == .add { keychain.failNext(errSecDuplicateItem, in: [.add]) }
        keychain.failNext(errSecDiskFull, in: [call])
        #expect(throws: KeychainError.couldNotAccessKeychain) { try valet.setString("canary", forKey: "key") }
        #expect(valet.lastFailure?.status == errSecDiskFull)
        #expect(keychain.removeFaults() == 0)
        #expect(try valet.string(forKey: "key") == "canary old")
    }

    @Test func `a locked keychain keeps the old value`() throws {
        try valet.setString("canary old", forKey: "key")
        try keychain.lock()
        #expect(throws: KeychainError.couldNotAccessKeychain) { try valet.setString("canary", forKey: "key") }
        try keychain.unlock()
        #expect(try valet.string(forKey: "key") == "canary old")
    }

    @Test func `migrating values to an enclave valet does not prompt`() throws {
        let source = Valet.valet(with: try .fresh(), accessibility: .afterFirstUnlock)
        try source.setString("canary", forKey: "key")
        try valet.migrateObjects(from: source, removeOnCompletion: false)
        #expect(throws: MigrationError.keyToMigrateAlreadyExistsInValet) {
            try valet.migrateObjects(from: source, removeOnCompletion: true)
        }
        #expect(keychain.prompts.isEmpty)
        #expect(try valet.string(forKey: "key") == "canary")
        #expect(try source.allKeys() == ["key"])
        #expect(throws: MigrationError.invalidQuery) {
            try valet.migrateObjects(matching: [:], removeOnCompletion: false)
        }
    }

    @Test func `migrating from a single-prompt valet prompts once`() throws {
        let single = SinglePromptSecureEnclaveValet.valet(
            with: valet.identifier,
            accessControl: .userPresence
        )
        try single.setString("canary one", forKey: "a")
        try single.setString("canary two", forKey: "b")
        try valet.migrateObjectsFromSinglePromptSecureEnclaveValet(removeOnCompletion: true)
        #expect(keychain.prompts.count == 1)
        #expect(try valet.string(forKey: "b") == "canary two")
        #expect(try !single.containsObject(forKey: "a"))
        keychain.answerPrompts(with: .cancel)
        try single.setString("canary", forKey: "c")
        #expect(throws: KeychainError.userCancelled) {
            try valet.migrateObjectsFromSinglePromptSecureEnclaveValet(removeOnCompletion: true)
        }
        #expect(try single.containsObject(forKey: "c"))
    }

    @Test func `reading a Codable value prompts`() throws {
        try valet.setValue(encoding: [1, 2], forKey: "key")
        #expect(try valet.value([Int].self, forKey: "key", withPrompt: "canary") == [1, 2])
        #expect(keychain.prompts.count == 1)
    }

    @Test func `every call has an asynchronous variant`() async throws {
        try valet.setString("canary", forKey: "key")
        let text = try await valet.async.string(forKey: "key", withPrompt: "canary")
        #expect(text == "canary")
        try await valet.async.setString("canary", forKey: "key")
        try await valet.async.setObject(Data([1]), forKey: "bytes")
        #expect(try await valet.async.object(forKey: "bytes") == Data([1]))
        #expect(try await valet.async.containsObject(forKey: "bytes"))
        #expect(await valet.async.canAccessKeychain())
        try await valet.async.removeObject(forKey: "bytes")
        try await valet.async.removeAllObjects()
    }
}
#endif
