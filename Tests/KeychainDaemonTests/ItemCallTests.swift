// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing
import Valet

/// `SecItem` functions that use a `securityd` process.
@Suite struct ItemCallTests {
    private static func query(_ account: String, _ more: [CFString: Any] = [:]) -> CFDictionary {
        let basic: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "service", kSecAttrAccount: account,
        ]
        return basic.merging(more) { $1 } as CFDictionary
    }

    private static func copy(_ account: String) -> (OSStatus, Data?) {
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query(account, [kSecReturnData: true]), &result)
        return (status, result as? Data)
    }

    @Test func `an item is added, read, updated and deleted through the daemon`() throws {
        try DaemonProcess.with { daemon in
            try daemon.run { () throws in
                #expect(Self.copy("canary").0 == errSecItemNotFound)
                let item = Self.query("canary", [kSecValueData: Data("canary one".utf8)])
                #expect(SecItemAdd(item, nil) == errSecSuccess)
                #expect(SecItemAdd(item, nil) == errSecDuplicateItem)
                #expect(Self.copy("canary") == (errSecSuccess, Data("canary one".utf8)))
                let change = [kSecValueData: Data("canary two".utf8)] as CFDictionary
                #expect(SecItemUpdate(Self.query("canary"), change) == errSecSuccess)
                #expect(Self.copy("canary") == (errSecSuccess, Data("canary two".utf8)))
                #expect(SecItemDelete(Self.query("canary")) == errSecSuccess)
                #expect(Self.copy("canary").0 == errSecItemNotFound)
            }
        }
    }

    @Test(arguments: [0, 1, 1 << 20, 3 << 20])
    func `a value of any size passes through the daemon`(count: Int) throws {
        let value = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) })
        try DaemonProcess.with { daemon in
            try daemon.run { () throws in
                #expect(SecItemAdd(Self.query("canary", [kSecValueData: value]), nil) == errSecSuccess)
                #expect(Self.copy("canary") == (errSecSuccess, value))
            }
        }
    }

    @Test func `attributes, persistent references and lists pass through the daemon`() throws {
        try DaemonProcess.with { daemon in
            try daemon.run { () throws in
                for name in ["a", "b"] {
                    let item = Self.query(name, [kSecValueData: Data(name.utf8), kSecAttrLabel: "canary"])
                    #expect(SecItemAdd(item, nil) == errSecSuccess)
                }
                var result: CFTypeRef?
                let all: [CFString: Any] = [
                    kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitAll,
                    kSecReturnAttributes: true, kSecReturnData: true, kSecReturnPersistentRef: true,
                ]
                #expect(SecItemCopyMatching(all as CFDictionary, &result) == errSecSuccess)
                let items = try #require(result as? [[CFString: Any]])
                #expect(items.compactMap { $0[kSecAttrAccount] as? String }.sorted() == ["a", "b"])
                #expect(items.allSatisfy { $0[kSecAttrLabel] as? String == "canary" })
                let reference = try #require(items[0][kSecValuePersistentRef] as? Data)
                let byReference = [kSecValuePersistentRef: reference, kSecReturnData: true] as CFDictionary
                #expect(SecItemCopyMatching(byReference, &result) == errSecSuccess)
                #expect(result as? Data == items[0][kSecValueData] as? Data)
            }
        }
    }

    @Test func `a program finds the items of another program only in a common group`() throws {
        try DaemonProcess.with { daemon in
            let common = Self.query(
                "common",
                [kSecAttrAccessGroup: "TEAM.common", kSecValueData: Data("canary".utf8)]
            )
            try daemon.run(as: ["TEAM.one", "TEAM.common"]) { () throws in
                #expect(SecItemAdd(common, nil) == errSecSuccess)
                #expect(
                    SecItemAdd(Self.query("own", [kSecValueData: Data("canary".utf8)]), nil) == errSecSuccess
                )
            }
            try daemon.run(as: ["TEAM.two", "TEAM.common"]) { () throws in
                #expect(Self.copy("common").0 == errSecSuccess)
                #expect(Self.copy("own").0 == errSecItemNotFound)
            }
            try daemon.run(as: ["TEAM.three"]) { () throws in
                #expect(Self.copy("common").0 == errSecItemNotFound)
                #expect(SecItemAdd(common, nil) == errSecMissingEntitlement)
            }
        }
    }

    @Test func `processes share the items of the daemon and create no store of their own`() throws {
        try DaemonProcess.with { daemon in
            let (one, two) = (try daemon.startTool(), try daemon.startTool())
            defer { for tool in [one, two] { tool.end() } }
            #expect(try one.ask("add canary canary-value") == "0")
            #expect(try two.ask("copy canary") == "0 canary-value")
            #expect(try two.ask("delete canary") == "0")
            #expect(try one.ask("copy canary") == "-25300 ")
            let unused = daemon.directory.appending(component: "unused").path
            #expect(!FileManager.default.fileExists(atPath: unused))
            #expect(FileManager.default.fileExists(atPath: daemon.store.path))
        }
    }

    @Test func `a forked child gets a connection of its own`() throws {
        try DaemonProcess.with { daemon in
            let tool = try daemon.startTool()
            defer { tool.end() }
            #expect(try tool.ask("add canary canary-value") == "0")
            #expect(try tool.ask("fork canary") == "child 0")
            #expect(try tool.ask("copy canary-child") == "0 canary")
            #expect(try tool.ask("copy canary") == "0 canary-value")
        }
    }

    @Test func `Valet stores its values in the daemon`() throws {
        try DaemonProcess.with { daemon in
            try daemon.run { () throws in
                let identifier = try #require(Identifier(nonEmpty: "canary"))
                let valet = Valet.valet(with: identifier, accessibility: .afterFirstUnlock)
                #expect(valet.canAccessKeychain())
                try valet.setString("canary value", forKey: "key")
                #expect(try valet.string(forKey: "key") == "canary value")
                #expect(try valet.allKeys() == ["key"])
                try valet.removeAllObjects()
                #expect(throws: KeychainError.itemNotFound) { try valet.string(forKey: "key") }
            }
        }
    }

    @Test func `Valet migrates 100 values through the daemon`() throws {
        try DaemonProcess.with { daemon in
            try daemon.run { () throws in
                let values = (0..<100).map { ("key \($0)", Data("canary \($0)".utf8)) }
                let valet = Valet.valet(
                    with: try #require(Identifier(nonEmpty: "canary")),
                    accessibility: .afterFirstUnlock
                )
                for (key, value) in values { try valet.setObject(value, forKey: key) }
                let other = Valet.valet(
                    with: try #require(Identifier(nonEmpty: "other")),
                    accessibility: .afterFirstUnlock
                )
                try other.migrateObjects(from: valet, removeOnCompletion: true)
                #expect(try other.allKeys().count == 100)
                #expect(try valet.allKeys().isEmpty)
            }
        }
    }
}
