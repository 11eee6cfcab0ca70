// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainItems
import KeychainTestSupport
import Testing

/// Reading and migrating values that other keychain libraries stored.
@Suite(.searchedKeychain(accessGroups: ["TEAM.app"])) struct MigrationTests {
    /// The layout of a library, the item that the library stores for the key *canary*, and its value.
    static let layouts: [(name: String, layout: ForeignLayout, item: GenericPassword, stored: [UInt8])] = {
        let text = Array("canary value".utf8)
        let list = try? PropertyListSerialization.data(
            fromPropertyList: "canary value",
            format: .binary,
            options: 0
        )
        return [
            (
                "Valet", .valet(identifier: "Druidia"),
                GenericPassword(
                    service: "VAL_VALValet_initWithIdentifier:accessibility:_Druidia_AccessibleWhenUnlocked",
                    account: "canary"
                ), text
            ),
            (
                "FXKeychain", .fxKeychain(service: "canary"),
                GenericPassword(service: "canary", account: "canary"), text
            ),
            (
                "FXKeychain, a property list", .fxKeychain(service: nil),
                GenericPassword(service: "canary", account: "canary"), Array(list ?? Data())
            ),
            (
                "Lockbox 2", .lockbox(prefix: "canary"),
                GenericPassword(service: "canary.canary", account: ""), text
            ),
            (
                "KeychainAccess", .keychainAccess(service: "canary"),
                GenericPassword(service: "canary", account: "canary"), text
            ),
            (
                "keychain-swift", .keychainSwift(prefix: "my_"),
                GenericPassword(service: "", account: "my_canary"), text
            ),
            (
                "SwiftKeychainWrapper", .swiftKeychainWrapper(service: "canary"),
                GenericPassword(service: "canary", account: "canary"), text
            ),
            (
                "SAMKeychain", .samKeychain(service: "canary"),
                GenericPassword(service: "canary", account: "canary"), text
            ),
        ]
    }()

    @Test(arguments: Backend.allCases, layouts.indices)
    func `values of each library are read and migrated`(backend: Backend, index: Int) throws {
        let (_, layout, item, stored) = Self.layouts[index]
        let vault = backend.vault("new canary")
        try vault.add(item, secret: stored)
        try vault.add(InternetPassword(server: "canary", account: "canary"), secret: "canary other")
        let values = try vault.values(of: layout)
        #expect(values.map(\.key) == ["canary"])
        #expect(values.first?.secret == SecretBytes("canary value"))
        #expect(values.first?.stored == SecretBytes(stored))
        var migration = Migration(from: layout, to: vault)
        migration.removesOriginals = true
        let plan = try migration.dryRun()
        #expect(plan.isDryRun)
        #expect(plan.migrated == ["canary"])
        #expect(try vault.get("canary") == nil)
        let report = try migration.run()
        #expect(report.migrated == ["canary"])
        #expect(report.removed == ["canary"])
        #expect(try vault.get("canary") == "canary value")
        #expect(try !vault.contains(item))
        #expect(try migration.run().migrated.isEmpty)
    }

    @Test(arguments: Backend.allCases)
    func `a migration into the service of the library removes nothing`(backend: Backend) throws {
        let vault = backend.vault("canary")
        try vault.set("canary value", for: "canary")
        var migration = Migration(from: .keychainAccess(service: "canary"), to: vault)
        migration.removesOriginals = true
        let report = try migration.run()
        #expect(report.unchanged == ["canary"])
        #expect(report.removed.isEmpty)
        #expect(try vault.get("canary") == "canary value")
    }

    @Test(arguments: Backend.allCases)
    func `values that are neither strings nor data are skipped and kept`(backend: Backend) throws {
        let vault = backend.vault("new canary")
        let list = try PropertyListSerialization.data(
            fromPropertyList: ["canary"],
            format: .binary,
            options: 0
        )
        let item = GenericPassword(service: "canary", account: "canary")
        try vault.add(item, secret: list)
        for layout in [ForeignLayout.fxKeychain(service: "canary"), .lockbox(prefix: "no")] {
            var migration = Migration(from: layout, to: vault)
            migration.removesOriginals = true
            #expect(try migration.run().migrated.isEmpty)
        }
        #expect(try Migration(from: .fxKeychain(service: "canary"), to: vault).run().skipped == ["canary"])
        #expect(try vault.contains(item))
    }

    @Test(
        arguments: Backend.allCases,
        [
            (.fail, nil, 0), (.keepVault, "canary old", 1), (.overwrite, "canary foreign", 0),
            (.keepNewest, "canary foreign", 0),
        ] as [(Migration.ConflictPolicy, String?, Int)]
    )
    func `a conflict is resolved according to the policy`(
        backend: Backend,
        expected: (policy: Migration.ConflictPolicy, value: String?, originals: Int)
    ) throws {
        let vault = backend.vault("new canary")
        try vault.set("canary old", for: "canary")
        let other = backend.vault("canary")
        try other.set("canary foreign", for: "canary")
        try other.set("canary second", for: "canary second")
        var migration = Migration(from: .keychainAccess(service: "canary"), to: vault)
        migration.conflictPolicy = expected.policy
        migration.removesOriginals = true
        #expect(try migration.dryRun().conflicts == ["canary"])
        guard let value = expected.value else {
            let error = #expect(throws: VaultError.self) { try migration.run() }
            #expect(error?.reason == .duplicate)
            #expect(try vault.keys() == ["canary"])
            #expect(try other.items().count == 2)
            return
        }
        let report = try migration.run()
        #expect(report.conflicts == ["canary"])
        #expect(try vault.get("canary") == value)
        #expect(try vault.get("canary second") == "canary second")
        #expect(try other.items().count == expected.originals)
    }

    @Test(arguments: Backend.allCases)
    func `the newest policy keeps a newer value of the vault`(backend: Backend) throws {
        let (vault, other) = (backend.vault("new canary"), backend.vault("canary"))
        try other.set("canary foreign", for: "canary")
        try vault.set("canary new", for: "canary")
        var migration = Migration(from: .vault(service: "canary"), to: vault)
        migration.conflictPolicy = .keepNewest
        migration.removesOriginals = true
        let report = try migration.run()
        #expect(report.conflicts == ["canary"] && report.migrated.isEmpty && report.removed.isEmpty)
        #expect(try vault.get("canary") == "canary new")
        #expect(try other.get("canary") == "canary foreign")
    }

    @Test(arguments: Backend.allCases)
    func `keys that differ only in their Unicode encoding are both migrated`(backend: Backend) throws {
        let (vault, other) = (backend.vault("new canary"), backend.vault("canary"))
        let keys = ["canary \u{E9}", "canary e\u{301}"]
        for key in keys { try other.set("canary of \(key.utf8.count)", for: key) }
        let report = try Migration(from: .vault(service: "canary"), to: vault).run()
        #expect(report.migrated.count == 2 && report.skipped.isEmpty)
        for key in keys { #expect(try vault.get(key) == "canary of \(key.utf8.count)") }
    }

    @Test(arguments: Backend.allCases)
    func `the transform function can rename keys and skip values`(backend: Backend) throws {
        let vault = backend.vault("new canary")
        let other = backend.vault("canary")
        for key in ["a", "b"] { try other.set("canary \(key)", for: "canary \(key)") }
        var migration = Migration(from: .vault(service: "canary"), to: vault)
        migration.transform = { $0.key == "canary a" ? nil : ("canary new", $0.stored) }
        let report = try migration.run()
        #expect(report.skipped == ["canary a"])
        #expect(try vault.keys() == ["canary new"])
        #expect(try other.items().count == 2)
    }

    @Test(arguments: Backend.allCases)
    func `a report contains keys but no secrets`(backend: Backend) throws {
        let other = backend.vault("canary")
        try other.set("canary secret", for: "canary key")
        let report = try Migration(from: .vault(service: "canary"), to: backend.vault("new canary")).run()
        #expect("\(report)".contains("canary key"))
        #expect(!"\(report)".contains("canary secret"))
    }
}
