// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

/// `SecItemAddTogether`, which adds several items in one transaction.
@Suite(.searchedKeychain) struct AddTogetherTests {
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

    @Test func `all items are added`() {
        let status = SecItemAddTogether([
            Self.item("canary-a", [kSecValueData: Data("canary-1".utf8)]), Self.item("canary-b"),
        ])
        #expect(status == errSecSuccess)
        #expect(Self.accounts() == ["canary-a", "canary-b"])
    }

    /// An item that cannot be added: a second `canary-old`, an item without a class, or one in a foreign access group.
    enum Failure: CaseIterable {
        case addingTwice, addingNoClass, addingToForeignGroup

        var item: CFDictionary {
            switch self {
            case .addingTwice: AddTogetherTests.item("canary-old")
            case .addingNoClass: [:] as CFDictionary
            case .addingToForeignGroup:
                AddTogetherTests.item("canary-x", [kSecAttrAccessGroup: "TEAM.foreign"])
            }
        }

        var status: OSStatus {
            switch self {
            case .addingTwice: errSecDuplicateItem
            case .addingNoClass: errSecParam
            case .addingToForeignGroup: errSecMissingEntitlement
            }
        }
    }

    @Test(arguments: Failure.allCases)
    func `no item is added if one cannot be added`(failure: Failure) {
        let items = [Self.item("canary-new"), Self.item("canary-old"), failure.item]
        #expect(SecItemAddTogether(items) == failure.status)
        #expect(Self.accounts() == [])
        // The failed transaction left no item and no lock behind.
        #expect(SecItemAdd(Self.item("canary-new"), nil) == errSecSuccess)
        #expect(Self.accounts() == ["canary-new"])
    }

    @Test func `adding is non-interactive, and a supplied application password is used`() {
        let control = SecAccessControlCreateWithFlags(
            nil,
            kSecAttrAccessibleWhenUnlocked,
            .applicationPassword,
            nil
        )
        let constrained: [CFString: Any] = [kSecAttrAccessControl: control as Any]
        #expect(SecItemAddTogether([Self.item("canary-a", constrained)]) == errSecInteractionNotAllowed)
        let context = LAContext()
        context.setCredential(Data("canary-password".utf8), type: .applicationPassword)
        let supplied = constrained.merging([kSecUseAuthenticationContext: context]) { $1 }
        #expect(SecItemAddTogether([Self.item("canary-a", supplied)]) == errSecSuccess)
    }

    @Test func `a locked protection class fails the whole transaction`() throws {
        try SearchedKeychain.setPasscode()
        try SearchedKeychain.lock()
        let items = [kSecAttrAccessibleAfterFirstUnlock, kSecAttrAccessibleWhenUnlocked].enumerated().map {
            Self.item("canary-\($0)", [kSecAttrAccessible: $1])
        }
        #expect(SecItemAddTogether(items) == errSecInteractionNotAllowed)
        #expect(SecItemCopyMatching(items[0], nil) == errSecItemNotFound)
    }

    @Test func `adding no items succeeds without a keychain`() {
        #expect(SecItemAddTogether([]) == errSecSuccess)
    }
}
