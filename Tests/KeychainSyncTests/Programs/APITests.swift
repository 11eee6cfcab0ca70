// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainModel
import KeychainServices
import KeychainStore
import KeychainSync
import KeychainTestSupport
import Testing
import Valet

/// The items of Apple's API and of Valet's iCloud valets on two devices.
@Suite struct APITests {
    /// Calls the closure with the keychain of a device as that of this process.
    private func on<Result>(_ device: Device, _ body: () throws -> Result) throws -> Result {
        let caller = Caller(applicationIdentifier: "group", accessGroups: ["group"])
        return try SystemKeychain.with(KeychainConnection(keychain: device.keychain, caller: caller), body)
    }

    private func query(_ account: String, _ more: [CFString: Any] = [:]) -> CFDictionary {
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "service", kSecAttrAccount: account,
        ]
        return query.merging(more) { $1 } as CFDictionary
    }

    private func value(_ account: String) -> Data? {
        var result: CFTypeRef?
        let query = query(
            account,
            [kSecAttrSynchronizable: kSecAttrSynchronizableAny, kSecReturnData: true]
        )
        guard SecItemCopyMatching(query, &result) == errSecSuccess else { return nil }
        return result as? Data
    }

    @Test func `SecItem functions with kSecAttrSynchronizable take effect on the other device`() async throws
    {
        try await DevicePair.run { pair in
            let synchronizable: [CFString: Any] = [kSecAttrSynchronizable: true]
            try on(pair.first) {
                let item = synchronizable.merging([kSecValueData: Data("one".utf8)]) { $1 }
                #expect(SecItemAdd(query("account", item), nil) == errSecSuccess)
                #expect(SecItemAdd(query("local", [kSecValueData: Data("x".utf8)]), nil) == errSecSuccess)
            }
            try await pair.first.agent.synchronize()
            try await pair.second.agent.synchronize()
            try on(pair.second) {
                #expect(value("account") == Data("one".utf8))
                #expect(value("local") == nil)
                let changes = [kSecValueData: Data("two".utf8)] as CFDictionary
                #expect(SecItemUpdate(query("account", synchronizable), changes) == errSecSuccess)
            }
            try await pair.synchronize()
            try on(pair.first) {
                #expect(value("account") == Data("two".utf8))
                #expect(SecItemDelete(query("account", synchronizable)) == errSecSuccess)
            }
            try await pair.first.agent.synchronize()
            try await pair.synchronize()
            try on(pair.second) { #expect(value("account") == nil) }
        }
    }

    @Test func `an iCloud valet has the same values on both devices, and another valet does not`()
        async throws
    {
        try await DevicePair.run { pair in
            let name = try #require(Identifier(nonEmpty: "name"))
            let cloud = Valet.iCloudValet(with: name, accessibility: .whenUnlocked)
            let local = Valet.valet(with: name, accessibility: .whenUnlocked)
            try on(pair.first) {
                try cloud.setString("canary", forKey: "key")
                try local.setString("stays", forKey: "local")
            }
            try await pair.first.agent.synchronize()
            try await pair.second.agent.synchronize()
            try on(pair.second) {
                #expect(try cloud.string(forKey: "key") == "canary")
                #expect(try cloud.allKeys() == ["key"])
                #expect(try local.allKeys() == [])
                try cloud.setString("changed", forKey: "key")
                try cloud.setString("new", forKey: "other")
            }
            try await pair.synchronize()
            try on(pair.first) {
                #expect(try cloud.string(forKey: "key") == "changed")
                #expect(try cloud.allKeys() == ["key", "other"])
                try cloud.removeAllObjects()
            }
            try await pair.first.agent.synchronize()
            try await pair.synchronize()
            let keys = try on(pair.second) { try cloud.allKeys() }
            #expect(keys == [])
        }
    }

    @Test func `an item with an access control stays on its device`() async throws {
        try await DevicePair.run { pair in
            let control = SecAccessControlCreateWithFlags(
                nil,
                kSecAttrAccessibleWhenUnlocked,
                .userPresence,
                nil
            )
            let protected: [CFString: Any] = [
                kSecAttrAccessControl: try #require(control), kSecValueData: Data("x".utf8),
            ]
            for device in [pair.first, pair.second] {
                try device.keychain.setPasscode(SecretBytes("canary-passcode"), cost: LockedStore.cost)
            }
            try on(pair.first) {
                #expect(SecItemAdd(query("protected", protected), nil) == errSecSuccess)
                let both = protected.merging([kSecAttrSynchronizable: true]) { $1 }
                #expect(SecItemAdd(query("both", both), nil) == errSecParam)
                let plain: [CFString: Any] = [
                    kSecAttrSynchronizable: true, kSecValueData: Data("one".utf8),
                ]
                #expect(SecItemAdd(query("plain", plain), nil) == errSecSuccess)
            }
            try await pair.first.agent.synchronize()
            try await pair.second.agent.synchronize()
            try on(pair.second) {
                #expect(value("protected") == nil)
                #expect(value("plain") == Data("one".utf8))
            }
            // An access control that one device adds later applies on that device only, and the item's further changes
            // stay on that device.
            try on(pair.second) {
                let query = query("plain", [kSecAttrSynchronizable: true])
                let changes = protected.merging([kSecValueData: Data("two".utf8)]) { $1 } as CFDictionary
                #expect(SecItemUpdate(query, changes) == errSecSuccess)
            }
            try await pair.synchronize()
            try on(pair.first) { #expect(value("plain") == Data("one".utf8)) }
            let status = try SyncStore(pair.second.keychain).status()
            #expect(status.localOnly == 1 && status.outbox == 0)
        }
    }
}
