// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTesting
import Testing

@Suite(.temporaryKeychain(applicationIdentifier: "TEAM.app", accessGroups: ["TEAM.app", "TEAM.shared"]))
struct ApplicationTests {
    @Test func `another application sees only items in shared access groups`() throws {
        #expect(Items.add("alice") == errSecSuccess)
        #expect(Items.add("bob", [kSecAttrAccessGroup: "TEAM.shared"]) == errSecSuccess)
        let keychain = try TemporaryKeychain.current
        let statuses = keychain.withApplication("TEAM.other", accessGroups: ["TEAM.other", "TEAM.shared"]) {
            ["alice", "bob"].map { Items.status(of: $0) }
        }
        #expect(statuses == [errSecItemNotFound, errSecSuccess])
        #expect(Items.status(of: "alice") == errSecSuccess)
    }

    @Test func `an asynchronous part can run as another application`() async throws {
        let keychain = try TemporaryKeychain.current
        let status = await keychain.withApplication("TEAM.other") {
            await Task { Items.add("carol") }.value
        }
        #expect(status == errSecSuccess)
        #expect(try keychain.itemCount == 1)
        #expect(Items.status(of: "carol") == errSecItemNotFound)
    }

    @Test func `another application shares the keychain and its planned faults`() throws {
        let keychain = try TemporaryKeychain.current
        try keychain.withApplication("TEAM.other") {
            let current = try TemporaryKeychain.current
            #expect(current === keychain)
            keychain.failNext(errSecIO)
            #expect(Items.add("alice") == errSecIO)
        }
    }

    @Test func `calls of an application without an access group fail`() throws {
        let status = try TemporaryKeychain.current.withApplication("TEAM.other", accessGroups: []) {
            Items.add("alice")
        }
        #expect(status == errSecMissingEntitlement)
    }
}
