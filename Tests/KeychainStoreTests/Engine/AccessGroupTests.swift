// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

@Suite(.searchedKeychain) struct AccessGroupTests {
    @Test(arguments: [
        (["TEAM.app", "TEAM.shared"], "TEAM.app"), (["TEAM.shared", "TEAM.app"], "TEAM.shared"),
        (["com.apple.token", "TEAM.app"], "TEAM.app"), (["*", "TEAM.app"], "TEAM.app"),
        (["*"], "canary.app"), (["", "TEAM.app", "TEAM.app"], "TEAM.app"),
    ])
    func `a new item is added to the first writable group`(groups: [String], expected: String) throws {
        let item = try Calls().with(groups: groups).add([.account: "canary a"])
        #expect(item?.attributes[.accessGroup] == .string(expected))
    }

    @Test func `each group can contain the same item`() throws {
        let calls = try Calls()
        for group in ["TEAM.app", "TEAM.shared"] {
            try calls.add([.account: "canary a", .accessGroup: .string(group)])
            expect(.duplicateItem) { try calls.add([.account: "canary a", .accessGroup: .string(group)]) }
        }
        #expect(try calls.accounts(.generic()).count == 2)
    }

    @Test func `items of foreign groups are not found`() throws {
        let calls = try Calls()
        let item = try calls.add([.account: "canary a", .service: "canary s"])
        let stranger = calls.with(groups: ["TEAM.other"])
        let filters: [ItemFilter] = [
            .generic(), .generic([.account: "canary a"]),
            .generic([.account: "canary a", .service: "canary s"]),
            try .reference(item),
        ]
        for filter in filters {
            expect(.itemNotFound) { _ = try stranger.find(filter) }
            expect(.itemNotFound) { try stranger.update(filter, [.label: "canary"]) }
            expect(.itemNotFound) { try stranger.delete(filter) }
        }
        try stranger.add([.account: "canary a", .service: "canary s"], SecretBuffer("canary 2".utf8))
        #expect(try stranger.find(.generic()).map(\.secret) == [SecretBuffer("canary 2".utf8)])
        #expect(try calls.find(.generic()).map(\.secret) == [SecretBuffer("canary secret".utf8)])
    }

    @Test(arguments: ["TEAM.other", "", "team.app", "TEAM.app "])
    func `a foreign group in a query is errSecMissingEntitlement`(group: String) throws {
        let calls = try Calls()
        let named: Attributes = [.accessGroup: .string(group)]
        expect(.missingEntitlement) { try calls.add(named) }
        expect(.missingEntitlement) { _ = try calls.find(.generic(named)) }
        expect(.missingEntitlement) { try calls.update(.generic(named)) }
        expect(.missingEntitlement) { try calls.update(.generic(), named) }
        expect(.missingEntitlement) { try calls.delete(.generic(named)) }
    }

    @Test func `every call but status fails for a caller without groups`() throws {
        let calls = try Calls().with(groups: [])
        expect(.missingEntitlement) { try calls.add([:]) }
        expect(.missingEntitlement) { _ = try calls.find(.generic()) }
        expect(.missingEntitlement) { try calls.update(.generic()) }
        expect(.missingEntitlement) { try calls.delete(.generic()) }
        #expect(try calls.status().itemCount == 0)
    }

    @Test func `the token group is read-only`() throws {
        let calls = try Calls().with(groups: ["com.apple.token"])
        expect(.missingEntitlement) { try calls.add([:]) }
        expect(.itemNotFound) { _ = try calls.find(.generic()) }
        expect(.missingEntitlement) { try calls.update(.generic()) }
        expect(.missingEntitlement) { try calls.delete(.generic()) }
    }

    @Test(arguments: [["TEAM.app", "com.apple.token"], ["*"]])
    func `the token group cannot be written when named explicitly`(groups: [String]) throws {
        let calls = try Calls().with(groups: groups)
        let named: Attributes = [.accessGroup: "com.apple.token"]
        expect(.missingEntitlement) { try calls.add(named) }
        expect(.itemNotFound) { _ = try calls.find(.generic(named)) }
        expect(.missingEntitlement) { try calls.update(.generic(), named) }
        expect(.missingEntitlement) { try calls.delete(.generic(named)) }
    }

    @Test func `the group * matches every group`() throws {
        let calls = try Calls()
        for group in ["TEAM.app", "TEAM.shared"] {
            try calls.add([.account: .string("canary \(group)"), .accessGroup: .string(group)])
        }
        let every = calls.with(groups: ["*"])
        #expect(try every.accounts(.generic()) == ["canary TEAM.app", "canary TEAM.shared"])
        #expect(try every.accounts(.generic([.accessGroup: "TEAM.shared"])) == ["canary TEAM.shared"])
        #expect(try every.accounts(.generic([.account: "canary TEAM.app"])) == ["canary TEAM.app"])
        #expect(
            try every.accounts(.generic([.account: "canary TEAM.app", .service: ""])) == ["canary TEAM.app"]
        )
        try every.update(.generic([.account: "canary TEAM.app"]), [.accessGroup: "TEAM.new"])
        try every.add([.account: "canary 3", .accessGroup: "TEAM.newer"])
        #expect(try every.accounts(.generic()).count == 3)
        try every.delete(.generic())
        #expect(try calls.status().itemCount == 0)
    }

    @Test func `groups are compared by bytes`() throws {
        let composed = "TEAM.caf\u{e9}"
        let decomposed = "TEAM.cafe\u{301}"
        let one = try Calls().with(groups: [composed])
        let other = one.with(groups: [decomposed])
        try one.add([.account: "canary a"])
        expect(.itemNotFound) { _ = try other.find(.generic()) }
        expect(.missingEntitlement) { _ = try other.find(.generic([.accessGroup: .string(composed)])) }
        try other.add([.account: "canary a"])
        let both = one.with(groups: [composed, decomposed])
        #expect(try both.accounts(.generic()).count == 2)
    }
}
