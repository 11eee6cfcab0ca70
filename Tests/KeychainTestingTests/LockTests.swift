// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTesting
import Testing

@Suite struct LockTests {
    /// A protection class, and what a read of it answers in each state.
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
    func `lock and restart close what the protection class says`(row: Row) throws {
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

    @Test(.temporaryKeychain) func `without a passcode there is nothing to lock`() throws {
        let keychain = try TemporaryKeychain.current
        let refusal = try #require(throws: TemporaryKeychainError.self) { try keychain.lock() }
        #expect(refusal.status == errSecAuthFailed)
        #expect(throws: TemporaryKeychainError.self) { try keychain.unlock() }
        #expect(throws: TemporaryKeychainError.self) { try keychain.removePasscode() }
        #expect(Items.add("alice") == errSecSuccess)
        try keychain.restart()
        #expect(Items.status(of: "alice") == errSecSuccess)
    }

    @Test(.temporaryKeychain) func `a passcode is set, changed and removed`() throws {
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
    func `a wrong passcode opens nothing`() throws {
        let keychain = try TemporaryKeychain.current
        #expect(Items.add("alice") == errSecSuccess)
        try keychain.lock()
        let refusal = try #require(throws: TemporaryKeychainError.self) {
            try keychain.unlock(passcode: "4321")
        }
        #expect(refusal.status == errSecAuthFailed)
        #expect(Items.status(of: "alice") == errSecInteractionNotAllowed)
    }

    @Test func `a passcode of no bytes is refused, and nothing is left`() throws {
        let parent = FileManager.default.temporaryDirectory.appending(component: "parent-\(UUID())")
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: parent) }
        let refusal = try #require(throws: TemporaryKeychainError.self) {
            try withTemporaryKeychain(.init(place: .disk(in: parent), passcode: "")) { _ in
                Issue.record("there is a keychain")
            }
        }
        #expect(refusal.status == errSecParam)
        #expect(try FileManager.default.contentsOfDirectory(atPath: parent.path).isEmpty)
    }
}
