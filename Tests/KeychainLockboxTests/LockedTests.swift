// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import Foundation
import KeychainServices
import KeychainTesting
import Lockbox
import Testing
import KeychainWrapperTestSupport

/// A call that fails, for example because the keychain is locked, loses no values.
@Suite(.temporaryKeychain(passcode: "1234")) struct LockedTests {
    let lockbox = Lockbox(keyPrefix: .unique)

    @Test func `reads and writes fail in a locked keychain, and no value is lost`() throws {
        let store = try TemporaryKeychain.current
        #expect(lockbox.archiveObject("old", forKey: "k"))
        try store.lock()
        #expect(lockbox.unarchiveObject(forKey: "k") == nil)
        #expect(lockbox.lastStatus == errSecInteractionNotAllowed)
        let sentence = lockbox.lastError?.localizedDescription ?? ""
        #expect(sentence.contains("the keychain is locked") && sentence.contains("unlock it"), "\(sentence)")
        #expect(throws: LockboxError.self) { try lockbox.unarchivedObject(forKey: "k") }
        #expect(!lockbox.archiveObject("new", forKey: "k"))
        #expect(lockbox.lastStatus == errSecInteractionNotAllowed)
        try store.unlock()
        #expect(lockbox.unarchiveObject(forKey: "k") as? String == "old")
    }

    @Test func `removing a value works while the keychain is locked`() throws {
        let store = try TemporaryKeychain.current
        #expect(lockbox.archiveObject("canary", forKey: "k"))
        try store.lock()
        #expect(lockbox.removeObject(forKey: "k"))
        #expect(!lockbox.removeObject(forKey: "k"))
        #expect(lockbox.lastStatus == errSecItemNotFound)
        try store.unlock()
        #expect(lockbox.unarchiveObject(forKey: "k") == nil)
        #expect(lockbox.lastStatus == errSecItemNotFound)
    }

    @Test(arguments: [TemporaryKeychain.Call.add, .update, .delete])
    func `a failing call keeps the stored value`(call: TemporaryKeychain.Call) throws {
        let store = try TemporaryKeychain.current
        #expect(lockbox.archiveObject("old", forKey: "k"))
        store.failNext(errSecIO, times: .max, in: [call])
        let isWritten = lockbox.archiveObject("new", forKey: "k")
        #expect(isWritten == (call != .update))
        #expect(lockbox.removeObject(forKey: "missing") == false)
        if call == .delete { #expect(!lockbox.removeObject(forKey: "k")) }
        store.removeFaults()
        #expect(lockbox.unarchiveObject(forKey: "k") as? String == (isWritten ? "new" : "old"))
    }

    /// Simulates a program that adds the item between the update and the add of a write, and then removes it.
    @Test func `a write that conflicts with another one is retried`() throws {
        let store = try TemporaryKeychain.current
        store.failNext(errSecItemNotFound, times: 2, in: [.update])
        store.failNext(errSecDuplicateItem, times: 2, in: [.add])
        #expect(lockbox.archiveObject("a", forKey: "k"))
        store.failNext(errSecItemNotFound, in: [.update])
        #expect(lockbox.archiveObject("b", forKey: "k"))
        #expect(lockbox.unarchiveObject(forKey: "k") as? String == "b")
    }

    @Test(.temporaryKeychain(accessGroups: [])) func `calls fail without an access group`() {
        #expect(!lockbox.archiveObject("a", forKey: "k"))
        #expect(lockbox.lastStatus == errSecMissingEntitlement)
    }

    @Test(.temporaryKeychain(wholeProcess: true)) func `concurrent writes of one key lose nothing`() {
        nonisolated(unsafe) let lockbox = lockbox
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for round in 0..<10 {
                _ = lockbox.archiveObject(thread, forKey: "shared")
                _ = lockbox.archiveObject(round, forKey: "own \(thread)")
                _ = lockbox.unarchiveObject(forKey: "shared")
            }
        }
        for thread in 0..<8 { #expect(lockbox.unarchiveObject(forKey: "own \(thread)") as? Int == 9) }
        #expect(lockbox.unarchiveObject(forKey: "shared") as? Int != nil)
    }
}
#endif
