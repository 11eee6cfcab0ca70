// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainItems
import KeychainTestSupport
import KeychainTesting
import Testing

/// A call that fails throws the reason, and the stored value stays.
@Suite(.temporaryKeychain(accessGroups: ["TEAM.app"], passcode: "canary passcode")) struct FailureTests {
    @Test(arguments: Backend.allCases)
    func `every call throws locked for a locked item and never returns nil`(backend: Backend) throws {
        let vault = backend.vault()
        try vault.set("canary one", for: "canary")
        try TemporaryKeychain.current.lock()
        for call in Self.calls(of: vault) {
            let error = #expect(throws: VaultError.self) { try call() }
            #expect(error?.reason == .locked(until: .unlock))
            #expect(error?.status == -25308)
            #expect(error?.isTransient == true)
            #expect(error?.advice != nil)
        }
        try TemporaryKeychain.current.unlock()
        #expect(try vault.get("canary") == "canary one")
    }

    private static func calls(of vault: Vault) -> [() throws -> Void] {
        [
            { _ = try vault.get("canary") }, { try vault.set("canary two", for: "canary") },
            { try vault.add("canary two", for: "canary new") },
            { try vault.update("canary") { $0 = "canary two" } }, { _ = try vault.contains("canary") },
        ]
    }

    @Test func `before the first unlock the error names the first unlock`() throws {
        let vault = Vault(service: "canary", accessibility: .afterFirstUnlock)
        try vault.set("canary", for: "canary")
        try TemporaryKeychain.current.lock()
        #expect(try vault.get("canary") == "canary")
        try TemporaryKeychain.current.restart()
        let error = #expect(throws: VaultError.self) { try vault.get("canary") }
        #expect(error?.reason == .locked(until: .firstUnlock))
    }

    @Test(arguments: Backend.allCases)
    func `an access group that the program lacks is a missing entitlement`(backend: Backend) throws {
        var vault = backend.vault()
        vault.accessGroup = "TEAM.foreign"
        let error = #expect(throws: VaultError.self) { try vault.get("canary") }
        #expect(error?.reason == .missingEntitlement)
        #expect(error?.advice?.contains("entitlements") == true)
        #expect(throws: VaultError.self) { try vault.items() }
        #expect(throws: VaultError.self) { try vault.set("canary", for: "canary") }
    }

    @Test(arguments: Backend.allCases)
    func `a program without access groups gets missingEntitlement`(backend: Backend) throws {
        try TemporaryKeychain.current.withApplication("canary", accessGroups: []) {
            let error = #expect(throws: VaultError.self) { try backend.vault().get("canary") }
            #expect(error?.reason == .missingEntitlement)
        }
    }

    @Test(
        arguments: [
            (-25292, .readOnly), (-34, .diskFull), (-36, .unavailable), (-26275, .damaged),
            (-25291, .unavailable),
            (-25293, .authenticationFailed), (-128, .cancelled), (-25302, .valueTooLarge), (-4, .unsupported),
            (-50, .invalidArgument), (-26276, .other),
        ] as [(Int32, VaultError.Reason)]
    )
    func `each status has a reason, and a failed overwrite keeps the value`(
        status: Int32,
        reason: VaultError.Reason
    ) throws {
        for backend in Backend.allCases {
            let vault = backend.vault()
            try vault.set("canary one", for: "canary")
            try TemporaryKeychain.current.failNext(status)
            let error = #expect(throws: VaultError.self) { try vault.set("canary two", for: "canary") }
            #expect(error?.reason == reason)
            #expect(error?.status == status)
            #expect(error?.operation == .set)
            #expect(error?.problem.isEmpty == false)
            #expect(try vault.get("canary") == "canary one")
        }
    }

    @Test(arguments: Backend.allCases)
    func `a keychain failure is thrown and not returned as nil`(backend: Backend) throws {
        let vault = backend.vault()
        try TemporaryKeychain.current.failNext(-36, times: 3)
        #expect(throws: VaultError.self) { try vault.get("canary") }
        #expect(throws: VaultError.self) { try vault.contains("canary") }
        #expect(throws: VaultError.self) { try vault.items() }
        #expect(try vault.get("canary") == nil)
    }

    @Test func `an error contains neither the key nor the value`() throws {
        let vault = Vault(service: "canary-service")
        try vault.add("canary-value", for: "canary-key")
        let error = #expect(throws: VaultError.self) { try vault.add("canary-value", for: "canary-key") }
        let found = try #require(error)
        for text in ["\(found)", String(reflecting: found), found.localizedDescription] {
            #expect(!text.contains("canary"))
        }
        #expect("\(found)".hasPrefix("add failed: duplicate (-25299): "))
    }
}
