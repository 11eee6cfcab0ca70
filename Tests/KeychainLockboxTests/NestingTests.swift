// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainWrapperTestSupport
import Lockbox
import Testing

@Suite(.temporaryKeychain) struct NestingTests {
    let lockbox = Lockbox(keyPrefix: .unique)

    @Test(arguments: EndlessValue.allCases)
    func `archiving an endless collection is rejected and keeps the old value`(value: EndlessValue) {
        #expect(lockbox.archiveObject("canary", forKey: "k"))
        value.use { endless in
            #expect(!lockbox.archiveObject(endless, forKey: "k"))
            #expect(lockbox.lastStatus == errSecParam)
            #expect(!lockbox.archiveObject([endless], forKey: "k"))
        }
        #expect(lockbox.unarchiveObject(forKey: "k") as? String == "canary")
    }

    @Test(arguments: EndlessValue.allCases)
    func `an endless element is rejected, and the old string stays`(value: EndlessValue) {
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
