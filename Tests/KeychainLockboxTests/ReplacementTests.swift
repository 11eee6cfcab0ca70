// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainWrapperTestSupport
import Testing

@testable import Lockbox

/// Upgrading an item that another program writes between the upgrade's read and its write.
@Suite(.temporaryKeychain) struct ReplacementTests {
    let item = LockboxItem(service: .unique)
    private let new = Data("new".utf8), later = Data("later".utf8)

    @Test func `a replacement applies only to the value that was read`() throws {
        try item.write(Data("old".utf8), kSecAttrAccessibleAfterFirstUnlock)
        let reading = try #require(try item.reading())
        #expect(reading.secret == Data("old".utf8))
        #expect(try item.replace(reading, by: new))
        #expect(try item.ownSecret() == new)
        #expect(RawItem(service: item.service).find().first?["pdmn"] as? String == "ck")
        #expect(try !item.replace(reading, by: later))
        #expect(try item.ownSecret() == new)
    }

    @Test func `a value written meanwhile is kept`() throws {
        try item.write(Data("old".utf8), kSecAttrAccessibleWhenUnlocked)
        let reading = try #require(try item.reading())
        try item.write(later, kSecAttrAccessibleWhenUnlocked)
        #expect(try !item.replace(reading, by: new))
        #expect(try item.ownSecret() == later)
        let again = try #require(try item.reading())
        #expect(try item.replace(again, by: new))
    }

    @Test func `a value removed meanwhile stays removed`() throws {
        try item.write(Data("old".utf8), kSecAttrAccessibleWhenUnlocked)
        let reading = try #require(try item.reading())
        try item.remove()
        #expect(try !item.replace(reading, by: new))
        #expect(try item.secret() == nil)
    }

    @Test func `an item is added next to an item with an account, unless another program added it`() throws {
        let other = RawItem(service: item.service, account: "someone")
        #expect(other.add(Data("old".utf8)) == errSecSuccess)
        let reading = try #require(try item.reading())
        try item.write(later, kSecAttrAccessibleWhenUnlocked)
        #expect(try !item.replace(reading, by: new))
        #expect(try item.ownSecret() == later)
        try item.remove()
        #expect(try item.replace(reading, by: new))
        #expect(try item.ownSecret() == new)
    }
}
