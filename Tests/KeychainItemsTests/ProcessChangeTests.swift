// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainItems
import KeychainTestSupport
import Testing

/// Notifications of changes made by another process.
@Suite(.searchedKeychain, .timeLimit(.minutes(10))) struct ProcessChangeTests {
    @Test(arguments: Backend.allCases)
    func `changes of another process are received with kind, class and access group`(
        backend: Backend
    ) async throws {
        let vault = backend.vault()
        try await vault.set("canary own", for: "canary own")
        var changes = vault.changes().makeAsyncIterator()
        let child = try TestTool.start(over: try #require(SearchedKeychain.directory))
        defer { child.end() }
        #expect(try child.ask("vault client set canary canary-one") == "done")
        #expect(await changes.next() == Self.change(.added, .genericPassword))
        #expect(try child.ask("vault secItem set canary canary-two") == "done")
        #expect(await changes.next() == Self.change(.changed, .genericPassword))
        #expect(try child.ask("vault client remove canary") == "true")
        #expect(await changes.next() == Self.change(.removed, .genericPassword))
        #expect(try child.ask("vault client set-internet canary.example canary-one") == "done")
        #expect(await changes.next() == Self.change(.added, .internetPassword))
        #expect(try await vault.get("canary own") == "canary own")
    }

    private static func change(_ kind: ItemChange.Kind, _ itemClass: KeychainItemClass) -> ItemChange {
        ItemChange(kind: kind, itemClass: itemClass, accessGroup: "TEAM.app")
    }

    @Test(arguments: Backend.allCases)
    func `many changes of another process are merged`(backend: Backend) async throws {
        let vault = backend.vault()
        var changes = vault.changes().makeAsyncIterator()
        let child = try TestTool.start(over: try #require(SearchedKeychain.directory))
        defer { child.end() }
        #expect(try child.ask("vault client set-many canary 100") == "done")
        #expect(try child.ask("vault client set-internet canary.example canary-one") == "done")
        // Changes that arrive together may be delivered in any order.
        var classes: [KeychainItemClass] = []
        while !classes.contains(.genericPassword) || !classes.contains(.internetPassword) {
            classes.append(try #require(await changes.next()).itemClass)
        }
        #expect(classes.count < 100)
        #expect(try await vault.items().count == 100)
    }
}
