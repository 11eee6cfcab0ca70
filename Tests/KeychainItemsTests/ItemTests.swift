// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainItems
import KeychainTestSupport
import Testing

/// Items as Swift values, such as `GenericPassword`, with their attributes.
@Suite(.searchedKeychain) struct ItemTests {
    @Test(arguments: Backend.allCases)
    func `a generic password is read back with all its attributes`(backend: Backend) throws {
        let vault = backend.vault()
        var item = GenericPassword(service: "canary service", account: "canary account")
        item.label = "canary label"
        item.comment = "canary comment"
        item.kind = "canary kind"
        item.generic = [1, 2, 0xFF]
        item.isInvisible = true
        item.expires = Date(timeIntervalSinceReferenceDate: 1_000)
        item.accessGroup = "TEAM.shared"
        item.accessibility = .afterFirstUnlockThisDeviceOnly
        try vault.add(item, secret: "canary secret")
        let found = try #require(try vault.items(matching: .genericPasswords()).first)
        #expect(found.service == "canary service")
        #expect(found.account == "canary account")
        #expect(found.label == "canary label")
        #expect(found.comment == "canary comment")
        #expect(found.kind == "canary kind")
        #expect(found.generic == [1, 2, 0xFF])
        #expect(found.isInvisible)
        #expect(!found.isNegative)
        #expect(found.expires == Date(timeIntervalSinceReferenceDate: 1_000))
        item = found
        item.expires = nil
        #expect(item.expires == nil)
        #expect(found.accessGroup == "TEAM.shared")
        #expect(found.accessibility == .afterFirstUnlockThisDeviceOnly)
        #expect(!found.isSynchronizable)
        #expect(try #require(found.created) <= .now)
        #expect(found.created == found.modified)
        #expect(found.reference?.data.count == 20)
        #expect(try vault.get(found) == SecretBytes("canary secret"))
    }

    @Test(arguments: Backend.allCases)
    func `an internet password is read back with all its attributes`(backend: Backend) throws {
        let vault = backend.vault()
        var item = InternetPassword(
            server: "canary.example.com",
            account: "canary",
            protocol: .https,
            port: 8443
        )
        item.path = "/canary"
        item.securityDomain = "CANARY"
        item.authenticationType = .httpBasic
        try vault.add(item, secret: "canary secret")
        let query = ItemQuery.internetPasswords(server: "canary.example.com", protocol: .https, port: 8443)
        let found = try #require(try vault.items(matching: query).first)
        #expect(found.server == "canary.example.com")
        #expect(found.protocol == .https)
        #expect(found.port == 8443)
        #expect(found.path == "/canary")
        #expect(found.securityDomain == "CANARY")
        #expect(found.authenticationType == .httpBasic)
        #expect(try vault.get(item) == SecretBytes("canary secret"))
        #expect(try vault.get(InternetPassword(server: "canary.example.com", account: "canary")) == nil)
        let plain = InternetPassword(server: "canary", account: "canary")
        try vault.set(plain, secret: "canary plain")
        let listed = try vault.items(matching: .internetPasswords(server: "canary")).first
        #expect(listed?.port == nil)
        #expect(listed?.protocol == nil)
        #expect(listed?.path == nil)
    }

    @Test(arguments: Backend.allCases)
    func `setting an item changes the attributes that are set and keeps the others`(backend: Backend) throws {
        let vault = backend.vault()
        var item = GenericPassword(service: "canary", account: "canary")
        item.label = "canary label"
        item.comment = "canary comment"
        try vault.set(item, secret: "canary one")
        var change = GenericPassword(service: "canary", account: "canary")
        change.comment = "canary new comment"
        try vault.set(change, secret: "canary two")
        let found = try vault.items(matching: .genericPasswords(), including: .secret)
        #expect(found.map(\.item.label) == ["canary label"])
        #expect(found.map(\.item.comment) == ["canary new comment"])
        #expect(found.map(\.secret) == [SecretBytes("canary two")])
    }

    @Test(arguments: Backend.allCases)
    func `a query finds the items that have every given attribute`(backend: Backend) throws {
        let vault = backend.vault()
        for (service, account) in [("canary a", "1"), ("canary a", "2"), ("canary b", "1")] {
            var item = GenericPassword(service: service, account: account)
            item.label = ItemString("canary \(account)")
            try vault.add(item, secret: "canary")
        }
        func accounts(_ query: ItemQuery<GenericPassword>) throws -> [String] {
            try vault.items(matching: query).map { "\($0.service)/\($0.account)" }.sorted()
        }
        #expect(try accounts(.genericPasswords(service: "canary a")) == ["canary a/1", "canary a/2"])
        #expect(try accounts(.genericPasswords(account: "1")) == ["canary a/1", "canary b/1"])
        #expect(try accounts(.genericPasswords(label: "canary 2")) == ["canary a/2"])
        #expect(try accounts(.genericPasswords(service: "canary c")) == [])
        var limited = ItemQuery<GenericPassword>()
        limited.limit = 2
        #expect(try accounts(limited).count == 2)
        limited.synchronization = .synchronizable
        #expect(try accounts(limited).isEmpty)
    }

    @Test(arguments: Backend.allCases)
    func `an item whose account is not UTF-8 can be listed and removed`(backend: Backend) throws {
        let vault = backend.vault()
        var item = GenericPassword(service: "canary.service", account: "")
        item.account = ItemString(bytes: [0xFF, 0xFE])
        try vault.add(item, secret: "canary")
        #expect(try vault.keys().isEmpty)
        let found = try #require(try vault.items().first)
        #expect(found.account.bytes == [0xFF, 0xFE])
        #expect(found.account.string == nil)
        #expect(try vault.get(found) == SecretBytes("canary"))
        #expect(try vault.remove(found))
        #expect(try vault.items().isEmpty)
    }

    @Test(arguments: Backend.allCases)
    func `an item without a value has an empty secret`(backend: Backend) throws {
        let vault = backend.vault()
        try vault.add(GenericPassword(service: "canary.service", account: "canary"))
        #expect(try vault.get("canary") == "")
        #expect(try vault.items(matching: .genericPasswords(), including: .secret).first?.secret == nil)
    }

    @Test(arguments: Backend.allCases)
    func `a key in two access groups is ambiguous unless a group is specified`(backend: Backend) throws {
        var vault = backend.vault()
        for group in ["TEAM.app", "TEAM.shared"] as [AccessGroup] {
            vault.accessGroup = group
            try vault.add("canary \(group)", for: "canary")
        }
        #expect(try vault.get("canary") == "canary TEAM.shared")
        vault.accessGroup = nil
        #expect(throws: VaultError(.ambiguous, .read)) { try vault.get("canary") }
        #expect(throws: VaultError(.ambiguous, .set)) { try vault.set("canary x", for: "canary") }
        #expect(throws: VaultError(.ambiguous, .remove)) { try vault.remove("canary") }
        #expect(throws: VaultError(.ambiguous, .update)) { try vault.update("canary") { $0 = nil } }
        #expect(try vault.items().count == 2)
        vault.accessGroup = "TEAM.app"
        #expect(try vault.remove("canary"))
        vault.accessGroup = nil
        #expect(try vault.get("canary") == "canary TEAM.shared")
    }

    @Test(arguments: Backend.allCases)
    func `setting a key updates it in the access group that contains it`(backend: Backend) throws {
        var vault = backend.vault()
        vault.accessGroup = "TEAM.shared"
        try vault.add("canary one", for: "canary")
        vault.accessGroup = nil
        try vault.set("canary two", for: "canary")
        try vault.set("canary new", for: "canary new")
        let groups = try vault.items().map { "\($0.account) \($0.accessGroup?.rawValue ?? "")" }
        #expect(groups == ["canary TEAM.shared", "canary new TEAM.app"])
    }
}
