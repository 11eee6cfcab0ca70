// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainWrapperTestSupport
import Lockbox
import Testing

/// Collections that hold themselves, or lie in each other by the thousand.
@Suite(.temporaryKeychain) struct NestingTests {
    let lockbox = Lockbox(keyPrefix: .unique)

    @Test(arguments: EndlessValue.allCases)
    func `archiving a collection without an end is refused and leaves the old value`(value: EndlessValue) {
        #expect(lockbox.archiveObject("canary", forKey: "k"))
        value.use { endless in
            #expect(!lockbox.archiveObject(endless, forKey: "k"))
            #expect(lockbox.lastStatus == errSecParam)
            #expect(!lockbox.archiveObject([endless], forKey: "k"))
        }
        #expect(lockbox.unarchiveObject(forKey: "k") as? String == "canary")
    }

    @Test(arguments: EndlessValue.allCases)
    func `an element without an end has no text, and the old text stays`(value: EndlessValue) {
        let legacy: any LegacyLockbox = lockbox
        let unlocked = kSecAttrAccessibleWhenUnlocked
        #expect(legacy.setString("canary", forKey: "k", accessibility: unlocked))
        value.use { endless in
            #expect(!legacy.setArray(["a", endless], forKey: "k", accessibility: unlocked))
            #expect(lockbox.lastStatus == errSecParam)
            #expect(!legacy.setDictionary(["a": endless], forKey: "k", accessibility: unlocked))
            #expect(lockbox.lastStatus == errSecParam)
        }
        #expect(legacy.string(forKey: "k") == "canary")
    }
}
