// SPDX-License-Identifier: Apache-2.0

import FXKeychain
import Foundation
import KeychainServices
import KeychainWrapperTestSupport
import Testing

/// A keychain without a service, which matches items of all services.
@Suite(.temporaryKeychain) struct WildcardTests {
    let account = String.unique

    private func fill(_ services: String...) {
        for service in services {
            #expect(RawItem(service: service, account: account).add(Data(service.utf8)) == errSecSuccess)
        }
    }

    private var values: Set<String> {
        Set(RawItem([kSecAttrAccount: account]).data.map { String(decoding: $0, as: UTF8.self) })
    }

    private func keychain(_ writes: FXKeychain.Options.WildcardWrites, service: String? = nil) -> FXKeychain {
        FXKeychain(
            service: service,
            accessGroup: nil,
            accessibility: .accessibleWhenUnlocked,
            options: .init(wildcardWrites: writes)
        )
    }

    @Test(.temporaryKeychain(accessGroups: ["one", "two"]))
    func `an ambiguous key of several access groups is rejected on request`() {
        for group in ["one", "two"] {
            let item = RawItem([kSecAttrService: "a", kSecAttrAccount: account, kSecAttrAccessGroup: group])
            #expect(item.add(Data(group.utf8)) == errSecSuccess)
        }
        let keychain = keychain(.refuseWhenAmbiguous, service: "a")
        #expect(!keychain.setObject("new", forKey: account))
        #expect(!keychain.removeObject(forKey: account))
        #expect(keychain.lastStatus == errSecDuplicateItem)
        #expect(values == ["one", "two"])
    }

    @Test(arguments: [nil, ""]) func `no service and an empty service are the same`(service: String?) {
        fill("a")
        #expect(keychain(.likeOriginal, service: service)[account] as? String == "a")
        #expect(FXKeychain(service: service, accessGroup: service)[account] as? String == "a")
    }

    @Test func `all items with the key are changed and removed, as in the original`() {
        fill("a", "b")
        #expect(keychain(.likeOriginal).setObject("new", forKey: account))
        #expect(RawItem([kSecAttrAccount: account]).data == [Data("new".utf8), Data("new".utf8)])
        #expect(keychain(.likeOriginal).removeObject(forKey: account))
        #expect(values.isEmpty)
    }

    @Test(arguments: [FXKeychain.Options.WildcardWrites.likeOriginal, .refuseWhenAmbiguous])
    func `a new item has an empty service if no item has the key`(writes: FXKeychain.Options.WildcardWrites) {
        #expect(keychain(writes).setObject("new", forKey: account))
        #expect(RawItem([kSecAttrAccount: account]).find().map { $0["svce"] as? String ?? "" } == [""])
        #expect(keychain(writes).setObject("newer", forKey: account))
        #expect(values == ["newer"])
    }

    @Test func `an ambiguous key is rejected on request`() {
        fill("a", "b")
        let keychain = keychain(.refuseWhenAmbiguous)
        #expect(!keychain.setObject("new", forKey: account))
        #expect(!keychain.removeObject(forKey: account))
        #expect(keychain.lastStatus == errSecDuplicateItem)
        #expect(values == ["a", "b"])
        #expect(SecItemDelete(RawItem(service: "a").attributes as CFDictionary) == errSecSuccess)
        #expect(keychain.setObject("new", forKey: account))
        #expect(values == ["new"])
        #expect(keychain.removeObject(forKey: account))
        #expect(values.isEmpty)
    }
}
