// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import Testing

@Suite struct IndexDigestTests {
    let index: IndexDigest

    init() throws { index = try Vector.named("header").keys().index }

    private func digest(
        _ attribute: Attribute = .account,
        _ value: AttributeValue = .string("alice"),
        of itemClass: ItemClass = .genericPassword,
        in group: String = "a"
    ) throws -> Bytes8 {
        let rule = try #require(ItemSchema.of(itemClass)[attribute])
        return index.attribute(rule, value, of: itemClass, in: index.accessGroup(group))
    }

    @Test func `digests differ by group, class, attribute and value`() throws {
        let digests = [
            try digest(), try digest(in: "b"), try digest(of: .internetPassword), try digest(.service),
            try digest(.label), try digest(.account, .string("Alice")),
            try digest(.account, .string("e\u{301}")),
            try digest(.account, .string("\u{e9}")), index.accessGroup("a"), index.accessGroup("alice"),
        ]
        #expect(Set(digests).count == digests.count)
    }

    @Test func `a string and its bytes have the same digest if the attribute compares bytes`() throws {
        #expect(try digest(.account, .data(Array("alice".utf8))) == digest())
        #expect(
            try digest(.issuer, .string("a"), of: .certificate)
                != digest(.issuer, .data(Array("a".utf8)), of: .certificate)
        )
    }

    @Test func `digests of another index key are different`() throws {
        let other = StoreKeys(.random()).index
        #expect(other.accessGroup("a") != index.accessGroup("a"))
    }

    @Test
    func `each attribute of the primary key affects the identity, and defaults equal absent attributes`()
        throws
    {
        for itemClass in [ItemClass.genericPassword, .internetPassword] {
            var seen: Set<ItemIdentity> = []
            func identity(
                _ attributes: Attributes,
                synchronizable: Bool = false,
                group: String = "a"
            ) -> ItemIdentity {
                index.identity(
                    of: itemClass,
                    attributes,
                    in: index.accessGroup(group),
                    synchronizable: synchronizable
                )
            }
            let plain = identity(Attributes())
            seen.insert(plain)
            seen.insert(identity(Attributes(), synchronizable: true))
            seen.insert(identity(Attributes(), group: "b"))
            var count = 3
            for rule in ItemSchema.of(itemClass).unique
            where rule.attribute != .accessGroup && rule.attribute != .synchronizable {
                var attributes = Attributes()
                attributes[rule.attribute] = rule.kind == .number ? .number(1) : .string("x")
                seen.insert(identity(attributes))
                count += 1
                guard let initial = rule.initial else { continue }
                attributes[rule.attribute] = initial
                #expect(identity(attributes) == plain)
            }
            #expect(seen.count == count)
            var attributes = Attributes()
            attributes[.label] = .string("x")
            attributes[.comment] = .string("x")
            #expect(identity(attributes) == plain)
        }
    }

    @Test func `the digest input is unambiguous`() {
        func identity(_ account: String, _ service: String) -> ItemIdentity {
            var attributes = Attributes()
            attributes[.account] = .string(account)
            attributes[.service] = .string(service)
            return index.identity(of: .genericPassword, attributes, in: .zero, synchronizable: false)
        }
        #expect(identity("ab", "c") != identity("a", "bc"))
        #expect(identity("", "abc") != identity("abc", ""))
    }

    @Test func `a digest column is decoded, and a malformed one is rejected`() throws {
        var attributes = Attributes()
        attributes[.account] = .string("alice")
        attributes[.service] = .string("")
        attributes[.label] = .string("Mail")
        attributes[.comment] = .string("not searchable")
        let group = index.accessGroup("a")
        let entries = IndexEntries(of: .genericPassword, attributes, in: group, by: index)
        #expect(entries.entries.map(\.attribute) == [.label, .account])
        #expect(entries.column.count == 18)
        #expect(IndexEntries(entries.column) == entries)
        #expect(
            IndexEntries([]) == IndexEntries(of: .genericPassword, Attributes(), in: group, by: index)
        )
        for count in [1, 8, 10, 17] { #expect(IndexEntries(Array(entries.column.prefix(count))) == nil) }
        var unknown = entries.column
        unknown[0] = 0xff
        #expect(IndexEntries(unknown) == nil)
    }
}
