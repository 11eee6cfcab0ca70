// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Synchronization
import Testing

/// `SecItemApply`, which applies several changes in one transaction.
@Suite(.searchedKeychain) struct ChangesTogetherTests {
    private static func item(_ account: String, _ more: [CFString: Any] = [:]) -> CFDictionary {
        let item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "canary-service",
            kSecAttrAccount: account,
        ]
        return item.merging(more) { $1 } as CFDictionary
    }

    private static func accounts() -> [String] {
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "canary-service",
            kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true,
        ]
        var result: CFTypeRef?
        guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess else { return [] }
        return (result as? [[CFString: Any]] ?? []).compactMap { $0[kSecAttrAccount] as? String }.sorted()
    }

    @Test func `each change sees the previous ones`() {
        let status = SecItemApply([
            .add(Self.item("canary-a", [kSecValueData: Data("canary-1".utf8)])),
            .add(Self.item("canary-b")),
            .update(Self.item("canary-a"), [kSecAttrAccount: "canary-c"] as CFDictionary),
            .delete(Self.item("canary-b")),
            .add(Self.item("canary-a")),
        ])
        #expect(status == errSecSuccess)
        #expect(Self.accounts() == ["canary-a", "canary-c"])
    }

    /// Changes that fail if the only stored item is `canary-old`.
    enum Failure: CaseIterable {
        case addingTwice, deletingNothing, updatingNothing, addingNoClass, addingToForeignGroup

        var change: SecItemChange {
            switch self {
            case .addingTwice: .add(item("canary-old"))
            case .deletingNothing: .delete(item("canary-none"))
            case .updatingNothing: .update(item("canary-none"), [:] as CFDictionary)
            case .addingNoClass: .add([:] as CFDictionary)
            case .addingToForeignGroup: .add(item("canary-x", [kSecAttrAccessGroup: "TEAM.foreign"]))
            }
        }

        var status: OSStatus {
            switch self {
            case .addingTwice: errSecDuplicateItem
            case .deletingNothing, .updatingNothing: errSecItemNotFound
            case .addingNoClass: errSecParam
            case .addingToForeignGroup: errSecMissingEntitlement
            }
        }
    }

    @Test(arguments: Failure.allCases)
    func `a failing change rolls back the previous ones`(failure: Failure) {
        #expect(SecItemAdd(Self.item("canary-old"), nil) == errSecSuccess)
        let status = SecItemApply([
            .add(Self.item("canary-new")), .delete(Self.item("canary-old")), .add(Self.item("canary-old")),
            failure.change,
        ])
        #expect(status == failure.status)
        #expect(Self.accounts() == ["canary-old"])
        // The failed transaction left no item and no lock behind.
        #expect(SecItemAdd(Self.item("canary-new"), nil) == errSecSuccess)
        #expect(Self.accounts() == ["canary-new", "canary-old"])
    }

    @Test func `progress is reported, and the program can cancel`() {
        let counts = Mutex<[Int]>([])
        let changes = (1...5).map { SecItemChange.add(Self.item("canary-\($0)")) }
        let status = SecItemApply(changes) { count in
            counts.withLock { $0.append(count) }
            return count < 3
        }
        #expect(status == errSecUserCanceled)
        #expect(counts.withLock { $0 } == [1, 2, 3])
        #expect(Self.accounts().isEmpty)
    }

    @Test func `changes are non-interactive, and a supplied application password is used`() {
        let control = SecAccessControlCreateWithFlags(
            nil,
            kSecAttrAccessibleWhenUnlocked,
            .applicationPassword,
            nil
        )
        let constrained: [CFString: Any] = [kSecAttrAccessControl: control as Any]
        #expect(SecItemApply([.add(Self.item("canary-a", constrained))]) == errSecInteractionNotAllowed)
        let context = LAContext()
        context.setCredential(Data("canary-password".utf8), type: .applicationPassword)
        let supplied = constrained.merging([kSecUseAuthenticationContext: context]) { $1 }
        #expect(SecItemApply([.add(Self.item("canary-a", supplied))]) == errSecSuccess)
        let change = [kSecAttrLabel: "canary-label"] as CFDictionary
        let query = Self.item("canary-a")
        #expect(SecItemApply([.update(query, change)]) == errSecInteractionNotAllowed)
        #expect(SecItemApply([.delete(query)]) == errSecSuccess)
    }

    @Test func `a locked protection class fails the whole transaction`() throws {
        let protection: [CFString: Any] = [kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked]
        #expect(SecItemAdd(Self.item("canary-locked", protection), nil) == errSecSuccess)
        try SearchedKeychain.setPasscode()
        try SearchedKeychain.lock()
        let open: [CFString: Any] = [kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock]
        let update = SecItemChange.update(Self.item("canary-locked"), [kSecAttrLabel: "x"] as CFDictionary)
        #expect(SecItemApply([.add(Self.item("canary-open", open)), update]) == errSecInteractionNotAllowed)
        #expect(SecItemCopyMatching(Self.item("canary-open"), nil) == errSecItemNotFound)
    }

    @Test func `an empty array of changes succeeds without a keychain`() {
        #expect(SecItemApply([]) == errSecSuccess)
    }
}
