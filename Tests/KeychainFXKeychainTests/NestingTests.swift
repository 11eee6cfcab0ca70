// SPDX-License-Identifier: Apache-2.0

import FXKeychain
import Foundation
import KeychainServices
import KeychainWrapperTestSupport
import Testing

@Suite(.temporaryKeychain) struct NestingTests {
    @Test(arguments: EndlessValue.allCases, [true, false])
    func `an endless collection is rejected and keeps the old value`(
        value: EndlessValue,
        acceptsKeyedArchives: Bool
    ) {
        let keychain = FXKeychain(
            service: .unique,
            accessGroup: nil,
            accessibility: .accessibleWhenUnlocked,
            options: .init(acceptsKeyedArchives: acceptsKeyedArchives)
        )
        #expect(keychain.setObject("canary", forKey: "k"))
        value.use { endless in
            #expect(!keychain.setObject(endless, forKey: "k"))
            #expect(keychain.lastStatus == errSecParam)
        }
        #expect(keychain["k"] as? String == "canary")
    }

    @Test(arguments: EndlessValue.allCases)
    func `an endless collection cannot be a key`(value: EndlessValue) {
        let keychain = FXKeychain(service: .unique, accessGroup: nil)
        value.use { endless in
            #expect(!keychain.setObject("canary", forKey: endless))
            #expect(keychain.lastStatus == errSecParam)
            #expect(keychain[endless] == nil)
            #expect(throws: FXKeychainError.self) { try keychain.storedObject(forKey: endless) }
            #expect(!keychain.removeObject(forKey: endless))
        }
    }
}
