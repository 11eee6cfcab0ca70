// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

@Suite(.searchedKeychain) struct FindTests {
    /// Returns calls to a store with seven items.
    ///
    /// There are two accounts in each of three services, and one item in a second access group.
    private func filled() throws -> Calls {
        let calls = try Calls()
        for service in ["canary s1", "canary s2", "canary s3"] {
            for account in ["canary a1", "canary a2"] {
                try calls.add([
                    .service: .string(service), .account: .string(account + service.suffix(3)),
                    .label: .string("canary \(account.suffix(2))"),
                ])
            }
        }
        try calls.add([
            .service: "canary s1", .account: "canary a1 s1", .accessGroup: "TEAM.shared",
            .label: "canary both",
        ])
        return calls
    }

    @Test func `a complete primary key finds one item in each group`() throws {
        let calls = try filled()
        let identity: Attributes = [.service: "canary s1", .account: "canary a1 s1"]
        #expect(try calls.accounts(.generic(identity)) == ["canary a1 s1", "canary a1 s1"])
        #expect(try calls.accounts(.generic(identity), limit: .one) == ["canary a1 s1"])
        let shared = try calls.find(.generic(identity.with([.accessGroup: "TEAM.shared"])))
        #expect(shared.map { $0.attributes[.label] } == ["canary both"])
    }

    @Test func `an indexed attribute finds exactly the matching items`() throws {
        let calls = try filled()
        #expect(try calls.accounts(.generic([.service: "canary s2"])) == ["canary a1 s2", "canary a2 s2"])
        #expect(try calls.accounts(.generic([.account: "canary a2 s3"])) == ["canary a2 s3"])
        #expect(try calls.accounts(.generic([.label: "canary a2"])).count == 3)
        #expect(try calls.accounts(.generic([.service: "canary s4"])).isEmpty)
        #expect(
            try calls.accounts(.generic([.service: "canary s1", .label: "canary a1"])) == ["canary a1 s1"]
        )
    }

    @Test func `a query without attributes finds all items of its class`() throws {
        let calls = try filled()
        try calls.add([.server: "canary.example"], as: .internetPassword)
        #expect(try calls.accounts(.generic()).count == 7)
        #expect(try calls.accounts(.internet()).count == 1)
        #expect(try calls.accounts(.generic([.accessGroup: "TEAM.app"])).count == 6)
    }

    @Test(arguments: [
        (MatchLimit.one, 1), (.atMost(1), 1), (.atMost(2), 2), (.atMost(7), 7), (.atMost(100), 7), (.all, 7),
    ])
    func `a query returns at most as many items as its limit`(limit: MatchLimit, count: Int) throws {
        #expect(try filled().find(.generic(), limit: limit).count == count)
    }

    @Test func `a limit of zero finds nothing`() throws {
        let calls = try filled()
        expect(.itemNotFound) { _ = try calls.find(.generic(), limit: .atMost(0)) }
    }

    @Test(arguments: [MatchLimit.one, .all]) func `no match returns errSecItemNotFound`(
        limit: MatchLimit
    ) throws {
        let calls = try Calls()
        expect(.itemNotFound) { _ = try calls.find(.generic(), limit: limit) }
        expect(.itemNotFound) { _ = try calls.find(.generic(), limit: limit, returning: []) }
    }

    @Test func `other attributes also restrict a complete primary key`() throws {
        let calls = try Calls()
        let identity: Attributes = [.service: "canary s", .account: "canary a"]
        try calls.add(
            identity.with([.label: "canary l", .comment: "canary c", .creator: 7, .isInvisible: 1])
        )
        let right: [Attributes] = [
            [.label: "canary l"], [.comment: "canary c"], [.creator: 7], [.isInvisible: 1],
            [.accessible: "ak"], [.accessGroup: "TEAM.app"],
        ]
        for filter in right { #expect(try calls.accounts(.generic(identity.with(filter))) == ["canary a"]) }
        let wrong: [Attributes] = [
            [.label: "canary m"], [.comment: "canary"], [.creator: 8], [.isInvisible: 0], [.accessible: "ck"],
            [.accessGroup: "TEAM.shared"], [.description: ""], [.generic: "canary"], [.type: 0],
        ]
        for filter in wrong { #expect(try calls.accounts(.generic(identity.with(filter))).isEmpty) }
    }

    @Test func `an attribute of every type filters by its exact value`() throws {
        let calls = try Calls()
        try calls.add([
            .account: "canary a", .service: .data(Array("canary s".utf8)), .generic: .data([1, 2]),
            .creator: 1_634_887_535, .type: "canary text", .label: 258, .alias: "canary alias",
        ])
        let item = try #require(try calls.find(.generic()).first)
        let right: [Attributes] = [
            [.service: "canary s"], [.account: .data(Array("canary a".utf8))], [.generic: "\u{1}\u{2}"],
            [.creator: 1_634_887_535], [.type: "canary text"], [.label: .data([2, 1, 0, 0])],
            [.alias: "canary alias"], [.multiUser: .data([])],
            [.creationDate: try #require(item.attributes[.creationDate])],
            [.modificationDate: try #require(item.attributes[.modificationDate])],
            [.sha1: try #require(item.attributes[.sha1])],
        ]
        for filter in right { #expect(try calls.accounts(.generic(filter)) == ["canary a"], "\(filter)") }
        let wrong: [Attributes] = [
            [.service: "canary S"], [.account: ""], [.generic: "\u{1}"], [.creator: "1634887535"],
            [.type: 0], [.label: "258"], [.alias: ""], [.multiUser: .data(Array(repeating: 0, count: 16))],
            [.creationDate: .date(0)], [.sha1: .data(Array(repeating: 0, count: 20))], [.accessible: "aku"],
        ]
        for filter in wrong { #expect(try calls.accounts(.generic(filter)).isEmpty, "\(filter)") }
    }

    @Test func `the attributes of a result find exactly that item`() throws {
        let calls = try filled()
        for item in try calls.find(.generic()) {
            var filter = item.attributes
            filter[.synchronizable] = nil
            filter[.tombstone] = nil
            let found = try calls.find(.generic(filter, .exactly(false)))
            #expect(found.map(\.reference) == [item.reference])
        }
    }

    @Test func `a query returns only requested parts`() throws {
        let calls = try filled()
        let nothing = try #require(try calls.find(.generic(), limit: .one, returning: []).first)
        #expect(nothing.secret == nil && nothing.attributes.isEmpty)
        let data = try #require(try calls.find(.generic(), limit: .one, returning: .data).first)
        #expect(data.secret == SecretBuffer("canary secret".utf8) && data.attributes.isEmpty)
        let attributes = try #require(try calls.find(.generic(), limit: .one, returning: .attributes).first)
        #expect(attributes.secret == nil && attributes.attributes[.accessGroup] != nil)
    }

    @Test(arguments: [ItemClass.certificate, .key, .identity])
    func `a class without items has no matches`(itemClass: ItemClass) throws {
        let calls = try Calls()
        expect(.itemNotFound) { _ = try calls.find(ItemFilter(itemClass: itemClass)) }
        expect(.itemNotFound) { try calls.update(ItemFilter(itemClass: itemClass), [.label: "canary"]) }
        expect(.itemNotFound) { try calls.delete(ItemFilter(itemClass: itemClass)) }
    }

    @Test func `a host filter matches the host and its subdomains`() throws {
        let calls = try Calls()
        for server in [
            "example.com", "www.example.com", "a.b.example.com", "badexample.com", "example.com.org",
        ] {
            try calls.add([.server: .string(server), .account: .string(server)], as: .internetPassword)
        }
        try calls.add([.account: "none"], as: .internetPassword)
        // An item whose server is stored as data does not match a host.
        try calls.add([.server: .data(Array("example.com".utf8)), .account: "data"], as: .internetPassword)
        var filter = ItemFilter.internet()
        filter.hostOrSubdomain = "example.com"
        #expect(try calls.accounts(filter) == ["a.b.example.com", "example.com", "www.example.com"])
        filter.hostOrSubdomain = "b.example.com"
        #expect(try calls.accounts(filter) == ["a.b.example.com"])
        filter.hostOrSubdomain = "EXAMPLE.com"
        #expect(try calls.accounts(filter).isEmpty)
        filter = .internet([.server: "www.example.com"])
        filter.hostOrSubdomain = "example.com"
        #expect(try calls.accounts(filter) == ["www.example.com"])
    }
}
