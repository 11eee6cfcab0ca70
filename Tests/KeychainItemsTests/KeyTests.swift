// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainItems
import KeychainTestSupport
import Testing

/// Secrets stored under a string key.
@Suite(.searchedKeychain(accessGroups: ["TEAM.app"])) struct KeyTests {
    @Test(arguments: Backend.allCases)
    func `a stored secret can be read, replaced and removed`(backend: Backend) throws {
        let vault = backend.vault()
        #expect(try vault.get("canary alice") == nil)
        #expect(try !vault.contains("canary alice"))
        try vault.set("canary one", for: "canary alice")
        #expect(try vault.get("canary alice") == "canary one")
        try vault.set("canary two", for: "canary alice")
        #expect(try vault["canary alice"] == "canary two")
        #expect(try vault.contains("canary alice"))
        #expect(try vault.remove("canary alice"))
        #expect(try !vault.remove("canary alice"))
        #expect(try vault["canary alice"] == nil)
    }

    @Test(arguments: Backend.allCases)
    func `adding an existing key throws duplicate and keeps its secret`(backend: Backend) throws {
        let vault = backend.vault()
        try vault.add("canary one", for: "canary alice")
        let error = #expect(throws: VaultError.self) { try vault.add("canary two", for: "canary alice") }
        #expect(error?.reason == .duplicate)
        #expect(error?.operation == .add)
        #expect(error?.status == -25299)
        #expect(try vault.get("canary alice") == "canary one")
    }

    @Test(arguments: Backend.allCases)
    func `a secret can be read as each supported type`(backend: Backend) throws {
        let vault = backend.vault()
        try vault.set(Data([0xFF, 0, 1]), for: "canary")
        #expect(try vault.get("canary", as: Data.self) == Data([0xFF, 0, 1]))
        #expect(try vault.get("canary", as: [UInt8].self) == [0xFF, 0, 1])
        #expect(try vault.get("canary", as: SecretBytes.self) == SecretBytes([0xFF, 0, 1]))
        #expect(throws: VaultError(.undecodable, .read)) { try vault.get("canary") }
    }

    @Test(
        arguments: Backend.allCases,
        ["", "x", String(repeating: "canary ", count: 20_000), String(repeating: "x", count: 16 << 20)]
    )
    func `empty and large values are read back unchanged`(backend: Backend, value: String) throws {
        let vault = backend.vault()
        try vault.set(value, for: "canary")
        #expect(try vault.get("canary") == value)
    }

    @Test(arguments: Backend.allCases)
    func `every call throws emptyKey for an empty key`(backend: Backend) throws {
        let vault = backend.vault()
        #expect(throws: VaultError(.emptyKey, .read)) { try vault.get("") }
        #expect(throws: VaultError(.emptyKey, .read)) { try vault.contains("") }
        #expect(throws: VaultError(.emptyKey, .add)) { try vault.add("canary", for: "") }
        #expect(throws: VaultError(.emptyKey, .set)) { try vault.set("canary", for: "") }
        #expect(throws: VaultError(.emptyKey, .remove)) { try vault.remove("") }
        #expect(throws: VaultError(.emptyKey, .update)) { try vault.update("") { $0 = "canary" } }
    }

    @Test(arguments: Backend.allCases)
    func `a key of one megabyte can be stored`(backend: Backend) throws {
        let vault = backend.vault()
        let key = String(repeating: "canary k", count: 1 << 17)
        try vault.set("canary", for: key)
        #expect(try vault.get(key) == "canary")
        #expect(try vault.keys() == [key])
    }

    @Test(arguments: Backend.allCases)
    func `vaults with another service or synchronization have separate secrets`(backend: Backend) throws {
        let vault = backend.vault()
        var synchronizable = vault
        synchronizable.isSynchronizable = true
        try vault.set("canary one", for: "canary")
        try backend.vault("canary.other").set("canary two", for: "canary")
        try synchronizable.set("canary three", for: "canary")
        #expect(try vault.get("canary") == "canary one")
        #expect(try backend.vault("canary.other").get("canary") == "canary two")
        #expect(try synchronizable.get("canary") == "canary three")
        #expect(try vault.items().count == 1)
        #expect(try synchronizable.remove("canary"))
        #expect(try vault.contains("canary"))
    }

    @Test(arguments: Backend.allCases)
    func `setting a secret applies the vault's accessibility, if it has one`(
        backend: Backend
    ) throws {
        var vault = backend.vault()
        try vault.set("canary one", for: "canary")
        #expect(try vault.items().first?.accessibility == .whenUnlocked)
        vault.accessibility = .afterFirstUnlock
        try vault.set("canary two", for: "canary")
        #expect(try vault.items().first?.accessibility == .afterFirstUnlock)
        vault.accessibility = nil
        try vault.set("canary three", for: "canary")
        #expect(try vault.items().first?.accessibility == .afterFirstUnlock)
        #expect(try vault.get("canary") == "canary three")
    }

    @Test func `both back ends see the same items`() throws {
        for (writer, reader) in [(Backend.client, Backend.secItem), (.secItem, .client)] {
            try writer.vault().set("canary \(writer)", for: "canary é")
            #expect(try reader.vault().get("canary é") == "canary \(writer)")
            #expect(try reader.vault().items() == writer.vault().items())
        }
    }
}

/// Secrets stored under a `SecretKey`, which determines their type.
@Suite(.searchedKeychain(accessGroups: ["TEAM.app"])) struct SecretKeyTests {
    @Test(arguments: Backend.allCases)
    func `a typed key stores a Codable value as JSON`(backend: Backend) throws {
        let vault = backend.vault()
        #expect(try vault[.session] == nil)
        let session = Session(token: "canary token", count: 3)
        try vault.set(session, for: .session)
        #expect(try vault[.session] == session)
        #expect(try vault.get("canary session")?.contains("\"token\":\"canary token\"") == true)
        let error = #expect(throws: VaultError.self) { try vault.add(session, for: .session) }
        #expect(error?.reason == .duplicate)
        #expect(try vault.contains(.session))
        #expect(try vault.remove(.session))
    }

    @Test(arguments: Backend.allCases)
    func `a key of type String stores UTF-8 although String is Codable`(backend: Backend) throws {
        let vault = backend.vault()
        try vault.set("canary", for: SecretKey<String>("canary"))
        #expect(try vault.get("canary", as: [UInt8].self) == Array("canary".utf8))
    }

    @Test(arguments: Backend.allCases)
    func `bytes that are not valid for the type throw undecodable`(backend: Backend) throws {
        let vault = backend.vault()
        try vault.set("canary: no JSON", for: "canary session")
        #expect(throws: VaultError(.undecodable, .read)) { try vault.get(.session) }
        #expect(throws: VaultError(.undecodable, .update)) { try vault.update(.session) { $0 = nil } }
        #expect(try vault.contains(.session))
    }

    @Test(arguments: Backend.allCases)
    func `a value that cannot be encoded keeps the old one`(backend: Backend) throws {
        let vault = backend.vault()
        let key = SecretKey<Double>("canary")
        try vault.set(1.5, for: key)
        #expect(throws: VaultError(.unencodable, .set)) { try vault.set(.infinity, for: key) }
        #expect(try vault.get(key) == 1.5)
    }

    @Test(arguments: Backend.allCases)
    func `a key can have custom functions to encode and decode`(backend: Backend) throws {
        let vault = backend.vault()
        let key = SecretKey<Bool>(
            "canary",
            encode: { SecretBytes([$0 ? 1 : 0]) },
            decode: { $0 == SecretBytes([1]) }
        )
        try vault.set(true, for: key)
        #expect(try vault[key] == true)
        #expect(try vault.get("canary", as: [UInt8].self) == [1])
    }
}
