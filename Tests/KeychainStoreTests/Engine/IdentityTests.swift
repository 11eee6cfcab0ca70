// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

@Suite(.searchedKeychain) struct IdentityTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let itemClass: ItemClass
        let rule: AttributeRule

        var testDescription: String { "\(itemClass.name) \(rule.attribute.name)" }

        /// A valid value for the attribute that differs from its default.
        ///
        /// It is `nil` for SHA-1 digests, UUIDs and access controls.
        var value: AttributeValue? {
            switch rule.attribute {
            case .accessGroup: return "TEAM.shared"
            case .synchronizable: return 1
            case .accessible: return "ck"
            default: break
            }
            return switch rule.kind {
            case .blob: "canary value"
            case .data: .data(Array("canary value".utf8))
            case .number: 17
            case .date: .date(17)
            case .string: "canary value"
            case .sha1, .uuid, .accessControl: nil
            }
        }
    }

    private static func rows(_ isIncluded: (AttributeTraits) -> Bool) -> [Row] {
        ItemClass.allCases.filter(\.isStored).flatMap { itemClass in
            ItemSchema.of(itemClass).rules.filter { isIncluded($0.traits) }
                .map { Row(itemClass: itemClass, rule: $0) }
        }
    }

    @Test(arguments: rows { $0.contains(.unique) })
    func `each attribute of the primary key makes an item different`(row: Row) throws {
        let calls = try Calls()
        let value = try #require(row.value)
        let other: Attributes = [row.rule.attribute: value]
        let first = try calls.add([:], as: row.itemClass)
        let second = try calls.add(other, as: row.itemClass)
        #expect(first?.reference != second?.reference)
        expect(.duplicateItem) { try calls.add(other, as: row.itemClass) }
        var filter = ItemFilter(itemClass: row.itemClass, attributes: other)
        if row.rule.attribute == .synchronizable {
            filter.attributes = [:]
            filter.synchronizable = .exactly(true)
        }
        #expect(try calls.find(filter).map(\.reference) == [second?.reference].compactMap(\.self))
    }

    @Test(arguments: rows { $0.isDisjoint(with: [.unique, .computed]) })
    func `no other attribute makes an item different`(row: Row) throws {
        let calls = try Calls()
        let value = try #require(row.value)
        try calls.add([:], as: row.itemClass)
        expect(.duplicateItem) { try calls.add([row.rule.attribute: value], as: row.itemClass) }
        #expect(try calls.status().itemCount == 1)
    }

    @Test(arguments: rows { $0.contains(.unique) })
    func `updating the primary key frees the old one`(row: Row) throws {
        let calls = try Calls()
        let value = try #require(row.value)
        let item = try calls.add([:], as: row.itemClass)
        try calls.update(ItemFilter(itemClass: row.itemClass), [row.rule.attribute: value])
        #expect(try calls.find(.reference(item)).count == 1)
        try calls.add([:], as: row.itemClass)
        expect(.duplicateItem) {
            try calls.update(
                ItemFilter(itemClass: row.itemClass, synchronizable: .any),
                [row.rule.attribute: value]
            )
        }
    }

    @Test func `a string and data with equal bytes are the same account`() throws {
        let calls = try Calls()
        try calls.add([.account: "canary a"])
        expect(.duplicateItem) { try calls.add([.account: .data(Array("canary a".utf8))]) }
        #expect(try calls.accounts(.generic([.account: .data(Array("canary a".utf8))])) == ["canary a"])
    }

    @Test func `a number equals its four bytes, not its decimal string`() throws {
        let calls = try Calls()
        try calls.add([.account: 1])
        try calls.add([.account: "1"])
        expect(.duplicateItem) { try calls.add([.account: "\u{1}\0\0\0"]) }
    }

    @Test(arguments: [
        ("caf\u{e9}", "cafe\u{301}"), ("\u{212b}", "\u{c5}"), ("a", "A"), ("a", "a\0"), ("a", "a "),
        ("\u{ff41}", "a"), ("", " "),
    ])
    func `strings that only look the same are different accounts`(one: String, other: String) throws {
        let calls = try Calls()
        for text in [one, other] { try calls.add([.account: .string(text), .label: .string(text)]) }
        for text in [one, other] {
            for attribute in [Attribute.account, .label] {
                let found = try calls.find(.generic([attribute: .string(text)]))
                #expect(found.map { $0.attributes[.account] } == [.string(text)])
            }
        }
    }

    @Test func `the number 443 and a string for the protocol are different`() throws {
        let calls = try Calls()
        for value: AttributeValue in [0, 443, "htps", "http", "443 "] {
            try calls.add([.protocol: value, .port: 443], as: .internetPassword)
        }
        for value: AttributeValue in [443, "htps", "443 "] {
            #expect(try calls.find(.internet([.protocol: value])).map { $0.attributes[.protocol] } == [value])
        }
        expect(.itemNotFound) { _ = try calls.find(.internet([.protocol: "443"])) }
    }

    @Test func `items of different classes are never duplicates`() throws {
        let calls = try Calls()
        try calls.add([.account: "canary a"])
        try calls.add([.account: "canary a"], as: .internetPassword)
        #expect(try calls.find(.generic()).count == 1)
        #expect(try calls.find(.internet()).count == 1)
    }

    /// The digest of an item's primary key includes the length of each attribute.
    @Test func `moving a letter from one attribute to the next makes a different item`() throws {
        let calls = try Calls()
        try calls.add([.account: "canary", .service: "mail"])
        try calls.add([.account: "canarym", .service: "ail"])
        try calls.add([.account: "", .service: "canarymail"])
        #expect(try calls.find(.generic()).count == 3)
    }
}
