// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTesting
import Testing

@Suite(.temporaryKeychain) struct TraitTests {
    @Test(arguments: 1...20)
    func `each test case has a store of its own while running in parallel`(number: Int) async throws {
        #expect(try TemporaryKeychain.current.itemCount == 0)
        #expect(Items.add("alice", secret: "secret \(number)") == errSecSuccess)
        // Lets the other cases of this test run: with a shared store, each would find the others' items.
        await Task.yield()
        #expect(try TemporaryKeychain.current.itemCount == 1)
        #expect(Items.secret(of: "alice") == .success("secret \(number)"))
    }

    @Test func `a task started by the test uses its store`() async throws {
        #expect(await Task { Items.add("alice") }.value == errSecSuccess)
        let secrets = await withTaskGroup { group in
            for _ in 0..<4 { group.addTask { Items.secret(of: "alice") } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(secrets == Array(repeating: .success("secret"), count: 4))
    }

    @Test func `the application identifier is the default access group`() throws {
        #expect(Items.add("alice", [kSecAttrAccessGroup: "com.example.tests"]) == errSecSuccess)
        #expect(Items.add("bob", [kSecAttrAccessGroup: "other"]) == errSecMissingEntitlement)
    }

    @Suite struct Inner {
        @Test func `nested suites inherit the trait`() throws {
            #expect(Items.add("alice") == errSecSuccess)
            #expect(try TemporaryKeychain.current.itemCount == 1)
        }
    }
}

@Suite struct TraitOptionTests {
    @Test(.temporaryKeychain(applicationIdentifier: "TEAM.app", accessGroups: ["TEAM.first", "TEAM.second"]))
    func `items are added to the first configured access group`() throws {
        #expect(Items.add("alice") == errSecSuccess)
        #expect(Items.add("bob", [kSecAttrAccessGroup: "TEAM.second"]) == errSecSuccess)
        #expect(Items.add("carol", [kSecAttrAccessGroup: "TEAM.app"]) == errSecMissingEntitlement)
        #expect(Items.status(of: "alice", [kSecAttrAccessGroup: "TEAM.first"]) == errSecSuccess)
    }

    @Test(.temporaryKeychain(accessGroups: []))
    func `all calls fail without an access group`() {
        #expect(Items.add("alice") == errSecMissingEntitlement)
        #expect(Items.status(of: "alice") == errSecMissingEntitlement)
    }

    @Test(.temporaryKeychain(passcode: "1234"))
    func `a keychain with a passcode is unlocked initially`() throws {
        let passcodeOnly: [CFString: Any] = [
            kSecAttrAccessible: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
        ]
        #expect(Items.add("alice", passcodeOnly) == errSecSuccess)
        #expect(Items.secret(of: "alice") == .success("secret"))
    }

    @Test(.temporaryKeychain) func `an in-memory store is on the memory file system if there is one`() throws
    {
        let parent = try TemporaryKeychain.current.directory.deletingLastPathComponent().path
        let hasMemory = FileManager.default.isWritableFile(atPath: "/dev/shm")
        #expect((parent == "/dev/shm") == hasMemory)
    }

    @Test(.temporaryKeychain(in: .disk)) func `an on-disk store is in the temporary directory`() throws {
        let parent = try TemporaryKeychain.current.directory.deletingLastPathComponent()
        #expect(parent.standardizedFileURL == FileManager.default.temporaryDirectory.standardizedFileURL)
        #expect(Items.add("alice") == errSecSuccess)
    }
}
