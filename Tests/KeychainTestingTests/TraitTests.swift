// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTesting
import Testing

@Suite(.temporaryKeychain) struct TraitTests {
    @Test(arguments: 1...20)
    func `each case has a store of its own, and they run at once`(number: Int) async throws {
        #expect(try TemporaryKeychain.current.itemCount == 0)
        #expect(Items.add("alice", secret: "secret \(number)") == errSecSuccess)
        // The others get their turn, and would be in the way.
        await Task.yield()
        #expect(try TemporaryKeychain.current.itemCount == 1)
        #expect(Items.secret(of: "alice") == .success("secret \(number)"))
    }

    @Test func `a task that the test starts is on its store`() async throws {
        #expect(await Task { Items.add("alice") }.value == errSecSuccess)
        let secrets = await withTaskGroup { group in
            for _ in 0..<4 { group.addTask { Items.secret(of: "alice") } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(secrets == Array(repeating: .success("secret"), count: 4))
    }

    @Test func `an application has its identifier as its only group`() throws {
        #expect(Items.add("alice", [kSecAttrAccessGroup: "com.example.tests"]) == errSecSuccess)
        #expect(Items.add("bob", [kSecAttrAccessGroup: "other"]) == errSecMissingEntitlement)
    }

    @Suite struct Inner {
        @Test func `the suites in a suite have it too`() throws {
            #expect(Items.add("alice") == errSecSuccess)
            #expect(try TemporaryKeychain.current.itemCount == 1)
        }
    }
}

@Suite struct TraitOptionTests {
    @Test(.temporaryKeychain(applicationIdentifier: "TEAM.app", accessGroups: ["TEAM.first", "TEAM.second"]))
    func `items are made in the first of the chosen groups`() throws {
        #expect(Items.add("alice") == errSecSuccess)
        #expect(Items.add("bob", [kSecAttrAccessGroup: "TEAM.second"]) == errSecSuccess)
        #expect(Items.add("carol", [kSecAttrAccessGroup: "TEAM.app"]) == errSecMissingEntitlement)
        #expect(Items.status(of: "alice", [kSecAttrAccessGroup: "TEAM.first"]) == errSecSuccess)
    }

    @Test(.temporaryKeychain(accessGroups: []))
    func `an application without a group is refused everything`() {
        #expect(Items.add("alice") == errSecMissingEntitlement)
        #expect(Items.status(of: "alice") == errSecMissingEntitlement)
    }

    @Test(.temporaryKeychain(passcode: "1234"))
    func `with a passcode it is unlocked at first`() throws {
        let passcodeOnly: [CFString: Any] = [
            kSecAttrAccessible: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
        ]
        #expect(Items.add("alice", passcodeOnly) == errSecSuccess)
        #expect(Items.secret(of: "alice") == .success("secret"))
    }

    @Test(.temporaryKeychain) func `in memory is on the memory file system, where there is one`() throws {
        let parent = try TemporaryKeychain.current.directory.deletingLastPathComponent().path
        let hasMemory = FileManager.default.isWritableFile(atPath: "/dev/shm")
        #expect((parent == "/dev/shm") == hasMemory)
    }

    @Test(.temporaryKeychain(in: .disk)) func `on disk is in the temporary directory`() throws {
        let parent = try TemporaryKeychain.current.directory.deletingLastPathComponent()
        #expect(parent.standardizedFileURL == FileManager.default.temporaryDirectory.standardizedFileURL)
        #expect(Items.add("alice") == errSecSuccess)
    }
}
