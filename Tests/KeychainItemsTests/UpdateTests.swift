// SPDX-License-Identifier: Apache-2.0

import KeychainItems
import KeychainTestSupport
import Testing

/// `update` with a closure that computes the new value from the stored one.
@Suite(.searchedKeychain(accessGroups: ["TEAM.app"])) struct UpdateTests {
    @Test(arguments: Backend.allCases)
    func `the closure receives the old value and sets the new one`(backend: Backend) throws {
        let vault = backend.vault()
        for expected in 1...3 {
            let result = try vault.update(.counter) { value in
                value = (value ?? 0) + 1
                return value
            }
            #expect(result == expected)
        }
        try vault.update(.counter) { $0 = nil }
        #expect(try vault[.counter] == nil)
        try vault.update(.counter) { #expect($0 == nil) }
        #expect(try !vault.contains(.counter))
    }

    @Test(arguments: Backend.allCases)
    func `an error of the closure keeps the value`(backend: Backend) throws {
        let vault = backend.vault()
        try vault.set("canary one", for: "canary")
        #expect(throws: CancellationError.self) {
            try vault.update("canary") { value in
                value = "canary two"
                throw CancellationError()
            }
        }
        #expect(try vault.get("canary") == "canary one")
    }

    @Test(arguments: Backend.allCases)
    func `the closure runs again if another writer changed the value`(backend: Backend) throws {
        let vault = backend.vault()
        var seen: [String?] = []
        try vault.update("canary") { value in
            seen.append(value)
            if seen.count == 1 { try vault.set("canary other", for: "canary") }
            if seen.count == 2 { try vault.remove("canary") }
            value = "canary mine \(seen.count)"
        }
        #expect(seen == [nil, "canary other", nil])
        #expect(try vault.get("canary") == "canary mine 3")
    }

    @Test(arguments: Backend.allCases)
    func `an update throws conflict if another writer changes the value each time`(backend: Backend) throws {
        let vault = backend.vault()
        try vault.set("canary", for: "canary")
        let error = #expect(throws: VaultError.self) {
            try vault.update("canary") { value in
                try vault.set((value ?? "") + "+", for: "canary")
                value = "canary mine"
            }
        }
        #expect(error?.reason == .conflict)
        #expect(error?.isTransient == true)
    }

    @Test(arguments: Backend.allCases)
    func `concurrent updates are not lost`(backend: Backend) async throws {
        let vault = backend.vault()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<10 { try increment(vault) } }
            }
            try await group.waitForAll()
        }
        #expect(try counter(vault) == 80)
    }

    @Test func `concurrent calls that set and remove one key never fail`()
        async throws
    {
        let vault = Vault(service: "canary.service")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask { for round in 0..<10 { try setAndRemove(vault, writer, round) } }
            }
            try await group.waitForAll()
        }
    }

    private func setAndRemove(_ vault: Vault, _ writer: Int, _ round: Int) throws {
        try vault.set("canary \(writer)", for: "canary")
        if round.isMultiple(of: 3) { try vault.remove("canary") }
    }

    @Test(arguments: Backend.allCases)
    func `an update keeps the attributes of the item`(backend: Backend) throws {
        let vault = backend.vault()
        var item = GenericPassword(service: "canary.service", account: "canary")
        item.label = "canary label"
        try vault.add(item, secret: "canary one")
        try vault.update("canary") { $0 = "canary two" }
        let items = try vault.items(matching: .genericPasswords(), including: .secret)
        #expect(items.map(\.item.label) == ["canary label"])
        #expect(items.first?.secret == SecretBytes("canary two"))
    }

    private func increment(_ vault: Vault) throws { try vault.update(.counter) { $0 = ($0 ?? 0) + 1 } }

    private func counter(_ vault: Vault) throws -> Int? { try vault.get(.counter) }
}
