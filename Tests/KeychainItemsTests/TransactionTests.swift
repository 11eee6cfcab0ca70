// SPDX-License-Identifier: Apache-2.0

import KeychainItems
import KeychainTestSupport
import KeychainTesting
import Testing

@Suite(.searchedKeychain(accessGroups: ["TEAM.app"])) struct TransactionTests {
    @Test(arguments: Backend.allCases)
    func `all changes of a transaction are made`(backend: Backend) throws {
        let vault = backend.vault()
        try vault.set("canary old", for: "canary a")
        try vault.set("canary old", for: "canary b")
        let count = try vault.transaction { changes in
            try changes.set("canary new", for: "canary a")
            try changes.remove("canary b")
            try changes.remove("canary absent")
            try changes.add("canary added", for: "canary c")
            try changes.set(Session(token: "canary"), for: .session)
            return 3
        }
        #expect(count == 3)
        #expect(try vault.keys() == ["canary a", "canary c", "canary session"])
        #expect(try vault.get("canary a") == "canary new")
        #expect(try vault[.session]?.token == "canary")
    }

    @Test(arguments: Backend.allCases)
    func `nothing is changed if one change fails`(backend: Backend) throws {
        let vault = backend.vault()
        try vault.set("canary old", for: "canary a")
        try vault.set("canary old", for: "canary b")
        let error = #expect(throws: VaultError.self) {
            try vault.transaction { changes in
                try changes.set("canary new", for: "canary a")
                try changes.set("canary new", for: "canary c")
                try changes.remove("canary a")
                try changes.add("canary new", for: "canary b")
            }
        }
        #expect(error?.reason == .duplicate)
        #expect(error?.operation == .transaction)
        #expect(try vault.keys() == ["canary a", "canary b"])
        #expect(try vault.get("canary a") == "canary old")
        #expect(try vault.get("canary b") == "canary old")
    }

    @Test(.searchedKeychain, arguments: Backend.allCases)
    func `undoing an addition keeps the item of another access group`(backend: Backend) throws {
        var vault = backend.vault()
        vault.accessGroup = "TEAM.shared"
        try vault.set("canary shared", for: "canary")
        vault.accessGroup = nil
        #expect(throws: VaultError.self) {
            try vault.transaction { changes in
                for _ in 0..<2 { try changes.add("canary", for: "canary") }
            }
        }
        #expect(try vault.items().map(\.accessGroup) == ["TEAM.shared"])
        #expect(try vault.get("canary") == "canary shared")
    }

    @Test(arguments: Backend.allCases)
    func `nothing is changed if the closure throws`(backend: Backend) throws {
        let vault = backend.vault()
        #expect(throws: CancellationError.self) {
            try vault.transaction { changes in
                try changes.set("canary", for: "canary")
                throw CancellationError()
            }
        }
        #expect(try vault.get("canary") == nil)
    }

    @Test(arguments: Backend.allCases)
    func `a transaction reads its own changes`(backend: Backend) throws {
        let vault = backend.vault()
        try vault.set("canary old", for: "canary a")
        try vault.transaction { changes in
            #expect(try changes.get("canary a") == "canary old")
            try changes.set("canary new", for: "canary a")
            #expect(try changes.get("canary a") == "canary new")
            try changes.remove("canary a")
            #expect(try changes.get("canary a") == nil)
        }
        #expect(try !vault.contains("canary a"))
    }

    @Test(arguments: Backend.allCases)
    func `the closure runs again if another program removed the item first`(backend: Backend) throws {
        let vault = backend.vault()
        try vault.set("canary", for: "canary")
        var runs = 0
        try vault.transaction { changes in
            runs += 1
            try changes.remove("canary")
            if runs == 1 { try vault.remove("canary") }
        }
        #expect(runs == 2)
    }
}

/// Removing all items of a service, of an access group, or of a query.
@Suite(.searchedKeychain) struct RemovalTests {
    @Test(arguments: Backend.allCases)
    func `removing the items of a service keeps those of other services`(backend: Backend) throws {
        let vault = backend.vault()
        try vault.set("canary", for: "canary a")
        try vault.set("canary", for: "canary b")
        try backend.vault("canary.other").set("canary", for: "canary a")
        #expect(try vault.removeAll(.service))
        #expect(try !vault.removeAll(.service))
        #expect(try vault.items().isEmpty)
        #expect(try backend.vault("canary.other").items().count == 1)
    }

    @Test(arguments: Backend.allCases)
    func `removing the items of an access group keeps those of other groups`(backend: Backend) throws {
        var vault = backend.vault()
        try vault.set("canary", for: "canary a")
        vault.accessGroup = "TEAM.shared"
        try vault.set("canary", for: "canary a")
        try vault.set(InternetPassword(server: "canary", account: "canary"), secret: "canary")
        #expect(try vault.removeAll(.accessGroup("TEAM.shared")))
        #expect(try !vault.removeAll(.accessGroup("TEAM.shared")))
        vault.accessGroup = nil
        #expect(try vault.items().map(\.accessGroup) == ["TEAM.app"])
        #expect(throws: VaultError.self) { try vault.removeAll(.accessGroup("TEAM.foreign")) }
    }

    @Test(arguments: Backend.allCases)
    func `only items that match the query are removed`(backend: Backend) throws {
        let vault = backend.vault()
        for account in ["1", "2"] {
            var item = GenericPassword(service: "canary", account: account)
            item.label = ItemString("canary \(account)")
            try vault.add(item, secret: "canary")
        }
        #expect(try vault.removeAll(matching: .genericPasswords(label: "canary 1")))
        #expect(try vault.items(matching: .genericPasswords()).map(\.account) == ["2"])
    }

    @Test(arguments: Backend.allCases)
    func `removing the matches of a query stops at the query's limit`(backend: Backend) throws {
        let vault = backend.vault()
        for account in ["1", "2", "3"] { try vault.set("canary", for: account) }
        var query = ItemQuery<GenericPassword>()
        query.limit = 2
        #expect(try vault.removeAll(matching: query))
        #expect(try vault.items().count == 1)
        #expect(try vault.removeAll(matching: query))
        #expect(try !vault.removeAll(matching: query))
    }

    @Test(arguments: Backend.allCases)
    func `an item is found by its reference after its value was changed`(backend: Backend) throws {
        let vault = backend.vault()
        try vault.set("canary", for: "canary")
        let data = try #require(try vault.items().first?.reference?.data)
        let reference = try #require(ItemReference(data))
        try vault.set("canary two", for: "canary")
        #expect(try vault.item(reference)?.account == "canary")
        #expect(throws: VaultError(.invalidArgument, .read)) {
            try vault.item(reference, as: InternetPassword.self)
        }
        try vault.remove("canary")
        #expect(try vault.item(reference) == nil)
        #expect(ItemReference(data.dropLast()) == nil)
    }
}
