// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import FXKeychain
import Foundation
import KeychainServices
import KeychainTesting
import Testing
import KeychainWrapperTestSupport

/// A call that fails, for example because the keychain is locked, loses no values.
@Suite(.temporaryKeychain(passcode: "1234")) struct LockedTests {
    let keychain = FXKeychain(service: .unique, accessGroup: nil)

    @Test func `reads and writes fail in a locked keychain, and no value is lost`() throws {
        let store = try TemporaryKeychain.current
        #expect(keychain.setObject("old", forKey: "k"))
        try store.lock()
        #expect(keychain["k"] == nil)
        #expect(keychain.lastStatus == errSecInteractionNotAllowed)
        let sentence = keychain.lastError?.localizedDescription ?? ""
        #expect(sentence.contains("the keychain is locked") && sentence.contains("unlock it"), "\(sentence)")
        #expect(throws: FXKeychainError.self) { try keychain.storedObject(forKey: "k") }
        #expect(!keychain.setObject("new", forKey: "k"))
        #expect(keychain.lastStatus == errSecInteractionNotAllowed)
        try store.unlock()
        #expect(keychain["k"] as? String == "old")
    }

    @Test func `removing a value works while the keychain is locked`() throws {
        let store = try TemporaryKeychain.current
        #expect(keychain.setObject("canary", forKey: "k"))
        #expect(keychain.setObject("canary", forKey: "l"))
        try store.lock()
        #expect(keychain.removeObject(forKey: "k"))
        #expect(keychain.setObject(nil, forKey: "l"))
        try store.unlock()
        #expect(try keychain.allKeys().isEmpty)
    }

    @Test(arguments: [TemporaryKeychain.Call.add, .update, .copy, .delete])
    func `a failing call keeps the stored value`(call: TemporaryKeychain.Call) throws {
        let store = try TemporaryKeychain.current
        #expect(keychain.setObject("old", forKey: "k"))
        store.failNext(errSecIO, times: .max, in: [call])
        _ = keychain.setObject("new", forKey: "other")
        let isWritten = keychain.setObject("new", forKey: "k")
        #expect(isWritten == (call != .update))
        if call == .delete { #expect(!keychain.removeObject(forKey: "k")) }
        store.removeFaults()
        #expect(keychain["k"] as? String == (isWritten ? "new" : "old"))
    }

    /// Simulates a program that adds the item between the update and the add of a write, and then removes it.
    @Test func `a write that conflicts with another one is retried`() throws {
        let store = try TemporaryKeychain.current
        #expect(keychain.setObject("old", forKey: "k"))
        store.failNext(errSecItemNotFound, in: [.update])
        #expect(keychain.setObject("new", forKey: "k"))
        #expect(keychain["k"] as? String == "new")
        store.failNext(errSecItemNotFound, times: 2, in: [.update])
        store.failNext(errSecDuplicateItem, times: 2, in: [.add])
        #expect(keychain.setObject("first", forKey: "l"))
        #expect(keychain["l"] as? String == "first")
    }

    @Test func `an access group that the program lacks is rejected`() throws {
        let keychain = FXKeychain(service: keychain.service, accessGroup: "other.group")
        #expect(!keychain.setObject("a", forKey: "k"))
        #expect(keychain.lastStatus == errSecMissingEntitlement)
        #expect(keychain["k"] == nil)
        #expect(!keychain.removeObject(forKey: "k"))
    }

    @Test(.temporaryKeychain(accessGroups: ["one", "two"]))
    func `an item is added to the specified access group`() throws {
        let keychain = FXKeychain(service: .unique, accessGroup: "two")
        #expect(keychain.setObject("a", forKey: "k"))
        #expect(RawItem([kSecAttrAccessGroup: "two"]).find().count == 1)
        #expect(FXKeychain(service: keychain.service, accessGroup: "one")["k"] == nil)
        #expect(FXKeychain(service: keychain.service, accessGroup: nil)["k"] as? String == "a")
    }

    @Test(.temporaryKeychain(wholeProcess: true)) func `concurrent writes of one key lose nothing`() throws {
        nonisolated(unsafe) let keychain = keychain
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for round in 0..<10 {
                keychain.accessibility = FXKeychainAccess.allCases[round % 6]
                _ = keychain.setObject("\(thread)", forKey: "shared")
                _ = keychain.setObject("\(round)", forKey: "own \(thread)")
                _ = keychain["shared"]
            }
        }
        for thread in 0..<8 { #expect(keychain["own \(thread)"] as? String == "9") }
        #expect((keychain["shared"] as? String).flatMap(Int.init) != nil)
        #expect(try keychain.allKeys().count == 9)
    }
}
#endif
