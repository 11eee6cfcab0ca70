// SPDX-License-Identifier: Apache-2.0

import FXKeychain
import Foundation
import KeychainServices
import KeychainWrapperTestSupport
import Testing

/// Values stored as keyed archives, which a keychain reads and writes only if archives are enabled.
@Suite(.temporaryKeychain) struct ArchiveTests {
    let service = String.unique

    private func keychain(_ options: FXKeychain.Options) -> FXKeychain {
        FXKeychain(
            service: service,
            accessGroup: nil,
            accessibility: .accessibleWhenUnlocked,
            options: options
        )
    }

    private var trusting: FXKeychain { keychain(.init(acceptsKeyedArchives: true)) }

    @Test func `a value that is not a property list is archived under root`() throws {
        let value = [UUID(), NSNull(), URL(string: "https://example.com")!] as NSArray
        #expect(trusting.setObject(value, forKey: "k"))
        #expect(trusting["k"] as? NSArray == value)
        let data = try #require(RawItem(service: service).data.first)
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        unarchiver.requiresSecureCoding = false
        #expect(unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey) as? NSArray == value)
        #expect(keychain(.original)["k"] == nil)
    }

    @Test func `property lists are not archived`() {
        #expect(trusting.setObject(["a": [1]], forKey: "k"))
        #expect(keychain(.original)["k"] as? [String: [Int]] == ["a": [1]])
    }

    @Test func `only allowed classes are read and written`() {
        let few = keychain(
            .init(acceptsKeyedArchives: true, allowedClasses: ["NSArray", "NSDate", "NSNull"])
        )
        #expect(few.setObject([NSNull(), NSDate()] as NSArray, forKey: "k"))
        #expect((few["k"] as? NSArray)?.count == 2)
        #expect(!few.setObject([UUID()], forKey: "k"))
        #expect((few["k"] as? NSArray)?.count == 2)
        #expect(trusting.setObject([UUID()], forKey: "k"))
        #expect(few["k"] == nil && few.lastStatus == errSecDecode)
    }

    @Test func `a custom class is read if it is allowed`() {
        let named = keychain(.init(acceptsKeyedArchives: true, secureClasses: [Token.self]))
        #expect(named.setObject([Token("a")], forKey: "k"))
        #expect((named["k"] as? [Token])?.first?.text == "a")
        #expect(trusting["k"] == nil)
        #expect(!trusting.setObject(Token("b"), forKey: "k"))
        #expect((named["k"] as? [Token])?.first?.text == "a")
    }

    @Test func `a property list that only claims to be an archive is not read`() throws {
        let list: [String: Any] = ["$archiver": "NSKeyedArchiver", "a": 1]
        let data = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        #expect(RawItem(service: service, account: "k").add(data) == errSecSuccess)
        #expect(trusting["k"] == nil && keychain(.original)["k"] == nil)
        #expect(trusting.removeObject(forKey: "k"))
    }
}
