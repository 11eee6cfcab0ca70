// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import KeychainTesting
import Testing

@Suite struct LockTests {
    /// A protection class, and the status of reading its items while locked and after a restart.
    struct Row: Sendable, CustomTestStringConvertible {
        let accessible: String
        let locked: OSStatus
        let restarted: OSStatus

        var testDescription: String { accessible }
    }

    private static let rows = [
        Row(accessible: "ak", locked: errSecInteractionNotAllowed, restarted: errSecInteractionNotAllowed),
        Row(accessible: "ck", locked: errSecSuccess, restarted: errSecInteractionNotAllowed),
        Row(accessible: "akpu", locked: errSecInteractionNotAllowed, restarted: errSecInteractionNotAllowed),
        Row(accessible: "dk", locked: errSecSuccess, restarted: errSecSuccess),
    ]

    @Test(.temporaryKeychain(passcode: "1234"), arguments: rows)
    func `locking and restarting close items according to their protection class`(row: Row) throws {
        let keychain = try TemporaryKeychain.current
        #expect(Items.add("alice", [kSecAttrAccessible: row.accessible]) == errSecSuccess)
        try keychain.lock()
        #expect(Items.status(of: "alice") == row.locked)
        try keychain.unlock()
        #expect(Items.status(of: "alice") == errSecSuccess)
        try keychain.restart()
        #expect(Items.status(of: "alice") == row.restarted)
        try keychain.unlock(passcode: "1234")
        #expect(Items.status(of: "alice") == errSecSuccess)
    }

    @Test(.temporaryKeychain) func `a keychain without a passcode cannot be locked`() throws {
        let keychain = try TemporaryKeychain.current
        let refusal = try #require(throws: TemporaryKeychainError.self) { try keychain.lock() }
        #expect(refusal.status == errSecAuthFailed)
        #expect(throws: TemporaryKeychainError.self) { try keychain.unlock() }
        #expect(throws: TemporaryKeychainError.self) { try keychain.removePasscode() }
        #expect(Items.add("alice") == errSecSuccess)
        try keychain.restart()
        #expect(Items.status(of: "alice") == errSecSuccess)
    }

    @Test(.temporaryKeychain) func `a passcode can be set, changed and removed`() throws {
        let keychain = try TemporaryKeychain.current
        try keychain.setPasscode("first")
        #expect(Items.add("alice", [kSecAttrAccessible: "akpu"]) == errSecSuccess)
        #expect(Items.add("bob") == errSecSuccess)
        try keychain.setPasscode("second")
        try keychain.lock()
        #expect(throws: TemporaryKeychainError.self) { try keychain.unlock(passcode: "first") }
        try keychain.unlock(passcode: "second")
        #expect(try keychain.removePasscode() == 1)
        #expect(Items.status(of: "alice") == errSecItemNotFound)
        #expect(Items.status(of: "bob") == errSecSuccess)
    }

    @Test(.temporaryKeychain(passcode: "1234"))
    func `a wrong passcode does not unlock`() throws {
        let keychain = try TemporaryKeychain.current
        #expect(Items.add("alice") == errSecSuccess)
        try keychain.lock()
        let refusal = try #require(throws: TemporaryKeychainError.self) {
            try keychain.unlock(passcode: "4321")
        }
        #expect(refusal.status == errSecAuthFailed)
        #expect(Items.status(of: "alice") == errSecInteractionNotAllowed)
    }

    @Test(
        .enabled(
            if: FileManager.default.isReadableFile(atPath: "/proc/keys"),
            "/proc/keys does not exist"
        )
    )
    func `a temporary keychain with a passcode stores no keys in the kernel keyring`() throws {
        var entries = KeyringEntries(store: "")
        try withTemporaryKeychain(.init(passcode: "1234")) { keychain in
            entries = try KeyringEntries(of: keychain)
            #expect(try entries.count == 0)
            try keychain.lock()
            try keychain.unlock()
            #expect(Items.add("alice") == errSecSuccess)
            #expect(try entries.count == 0)
        }
        #expect(try entries.count == 0)
    }

    @Test func `an empty passcode is rejected and leaves nothing behind`() throws {
        let parent = FileManager.default.temporaryDirectory.appending(component: "parent-\(UUID())")
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: parent) }
        let refusal = try #require(throws: TemporaryKeychainError.self) {
            try withTemporaryKeychain(.init(location: .disk(in: parent), passcode: "")) { _ in
                Issue.record("there is a keychain")
            }
        }
        #expect(refusal.status == errSecParam)
        #expect(try FileManager.default.contentsOfDirectory(atPath: parent.path).isEmpty)
    }
}

/// The cached keys of one store in the kernel keyring.
private struct KeyringEntries {
    let store: String

    init(store: String) { self.store = store }

    /// Reads the store identifier from bytes 8 to 23 of `device.key`.
    init(of keychain: TemporaryKeychain) throws {
        let key = try Data(contentsOf: keychain.directory.appending(component: "device.key"))
        let identifier = key.dropFirst(8).prefix(16)
        try #require(identifier.count == 16)
        store = identifier.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    var count: Int {
        get throws {
            let keys = try KernelFile.text("/proc/keys")
            return keys.split(separator: "\n").count { $0.contains("lkc:\(store):") }
        }
    }
}
