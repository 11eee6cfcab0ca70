// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainItems
import KeychainTestSupport
import KeychainTesting
import Testing

/// Calling `Vault` from `async` functions.
@Suite(.searchedKeychain(accessGroups: ["TEAM.app"])) struct AsyncTests {
    @Test(arguments: Backend.allCases)
    func `each call has an asynchronous form`(backend: Backend) async throws {
        let vault = backend.vault()
        let item = GenericPassword(service: "canary.service", account: "canary item")
        try await vault.add("canary one", for: "canary")
        try await vault.set("canary two", for: "canary")
        try await vault.update("canary") { $0 = ($0 ?? "") + "!" }
        #expect(try await vault.get("canary") == "canary two!")
        #expect(try await vault.get("canary", as: Data.self)?.count == 11)
        try await vault.set(Session(token: "canary"), for: .session)
        #expect(try await vault.get(.session)?.token == "canary")
        #expect(try await vault.contains(.session))
        #expect(try await vault.remove(.session))
        try await vault.add(item, secret: "canary")
        #expect(try await vault.contains(item))
        #expect(try await vault.get(item) == SecretBytes("canary"))
        #expect(try await vault.items().count == 2)
        #expect(try await vault.items(matching: .genericPasswords(), including: .secret).count == 2)
        #expect(try await vault.keys() == ["canary", "canary item"])
        try await vault.transaction { changes in try changes.remove("canary item") }
        #expect(try await vault.removeAll(.service))
        #expect(try await vault.get("canary") == nil)
    }

    @Test(arguments: Backend.allCases)
    func `a call in a cancelled task throws cancelled and changes nothing`(backend: Backend) async throws {
        let vault = backend.vault()
        try await vault.set("canary old", for: "canary")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await vault.set("canary new", for: "canary")
        }
        let error = await #expect(throws: VaultError.self) { try await task.value }
        #expect(error?.reason == .cancelled)
        #expect(error?.operation == .set)
        #expect(try await vault.get("canary") == "canary old")
    }

    @MainActor @Test func `an asynchronous call does not run on the main thread`() async throws {
        let vault = Vault(service: "canary")
        let isMain = try await vault.update("canary") { value in
            value = "canary"
            return Thread.isMainThread
        }
        #expect(!isMain)
    }
}

/// Notifications of changes made by this program and by others.
@Suite(.searchedKeychain) struct ChangeTests {
    @Test(arguments: Backend.allCases)
    func `additions, changes and removals report class and access group`(backend: Backend) async throws {
        let vault = backend.vault()
        var changes = vault.changes().makeAsyncIterator()
        try await vault.set("canary one", for: "canary")
        let added = await changes.next()
        #expect(added?.kind == .added)
        #expect(added?.itemClass == .genericPassword)
        #expect(added?.accessGroup == "TEAM.app")
        try await vault.set("canary two", for: "canary")
        #expect(await changes.next()?.kind == .changed)
        try await vault.remove("canary")
        #expect(await changes.next()?.kind == .removed)
        try await vault.set(InternetPassword(server: "canary", account: "canary"), secret: "canary")
        #expect(await changes.next()?.itemClass == .internetPassword)
    }

    @Test(arguments: Backend.allCases)
    func `a vault with an access group reports changes of that group only`(backend: Backend) async throws {
        var vault = backend.vault()
        vault.accessGroup = "TEAM.shared"
        var changes = vault.changes().makeAsyncIterator()
        vault.accessGroup = "TEAM.app"
        try await vault.set("canary", for: "canary")
        vault.accessGroup = "TEAM.shared"
        try await vault.set("canary", for: "canary")
        #expect(await changes.next()?.accessGroup == "TEAM.shared")
    }

    @Test(arguments: Backend.allCases)
    func `changes in quick succession are merged`(backend: Backend) async throws {
        let vault = backend.vault()
        var changes = vault.changes().makeAsyncIterator()
        try await vault.transaction { transaction in
            for number in 0..<100 { try transaction.set("canary", for: "canary \(number)") }
        }
        #expect(await changes.next()?.kind == .added)
        try await vault.removeAll(.service)
        // The `SecItem` back end has no transactions and polls for changes: a poll between two additions reports
        // the first ones separately.
        var (kind, count) = (await changes.next()?.kind, 1)
        while kind == .added, count < 20 { (kind, count) = (await changes.next()?.kind, count + 1) }
        #expect(kind == .removed)
    }

    @Test func `a locked keychain reports changes, and the sequence ends with its task`() async throws {
        try SearchedKeychain.setPasscode()
        var vault = Vault(service: "canary")
        vault.accessibility = .always
        let stream = vault.changes()
        try SearchedKeychain.lock()
        try await vault.set("canary", for: "canary")
        let task = Task {
            var kinds: [ItemChange.Kind] = []
            for await change in stream {
                kinds.append(change.kind)
                withUnsafeCurrentTask { $0?.cancel() }
            }
            return kinds
        }
        #expect(await task.value == [.added])
    }
}
