// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

/// Searches and updates that select items which are locked or require authentication.
///
/// If the columns or digests of such an item show that it does not match, the query returns errSecItemNotFound.
@Suite(.searchedKeychain) struct ClosedItemTests {
    private let calls: Calls

    init() throws {
        calls = try Calls()
        try SearchedKeychain.setPasscode()
    }

    private static let password: Attributes = [
        .account: "canary a", .service: "canary s", .label: "canary l", .generic: "canary g",
    ]
    private static let identity: Attributes = [.account: "canary a", .service: "canary s"]

    /// Queries, and whether each matches the one item of these tests.
    private static let queries: [(query: Attributes, matches: Bool)] = [
        (identity, true), (identity.with([.label: "canary l"]), true),
        (identity.with([.label: "canary l", .generic: "canary g"]), true),
        ([.label: "canary l", .account: "canary a"], true),
        (identity.with([.label: "canary m"]), false), (identity.with([.label: ""]), false),
        (identity.with([.generic: "canary"]), false),
        (identity.with([.label: "canary l", .generic: "canary"]), false),
        (identity.with([.accessible: "ck"]), false),
        ([.service: "canary s", .label: "canary m"], false), ([.service: "canary s", .account: ""], false),
        ([.account: "canary a", .service: ""], false),
    ]

    /// Expects searches in several groups and in one group, and an update, to fail with this status.
    private func expectStatus(_ status: Status, of filter: ItemFilter) throws {
        expect(status) { _ = try calls.find(filter) }
        expect(status) { _ = try calls.find(filter, limit: .one, returning: []) }
        let own = calls.with(groups: ["TEAM.app"])
        expect(status) { _ = try own.find(filter, limit: .one, returning: .data) }
        expect(status) { try calls.update(filter, [.comment: "canary c"]) }
    }

    @Test(arguments: queries.indices)
    func `a locked item is reported if it matches and otherwise not found`(place: Int) throws {
        let (query, matches) = Self.queries[place]
        try calls.add(Self.password)
        try calls.keychain.lock()
        try expectStatus(matches ? .interactionNotAllowed : .itemNotFound, of: .generic(query))
    }

    @Test(arguments: queries.indices)
    func `an item with an access control requires authentication only if it matches`(place: Int) throws {
        let (query, matches) = Self.queries[place]
        try calls.add(Self.password, accessControl: AccessControl(protection: .whenUnlocked, flags: 1))
        try expectStatus(matches ? .authenticationNeeded : .itemNotFound, of: .generic(query))
    }

    @Test func `a persistent reference and attributes must both match`() throws {
        let reference = try #require(try calls.add(Self.password)?.reference)
        try calls.keychain.lock()
        for (label, status) in [("canary l", Status.interactionNotAllowed), ("canary m", .itemNotFound)] {
            var filter = ItemFilter.generic([.label: .string(label)])
            filter.reference = reference
            expect(status) { try calls.update(filter, [.comment: "canary c"]) }
        }
    }

    @Test func `a locked key is not found if its class or type differs`() throws {
        try calls.add(
            [
                .applicationTag: "canary tag", .keyClass: 1, .type: 73, .keySizeInBits: 256,
                .effectiveKeySize: 256,
            ],
            as: .key
        )
        try calls.keychain.lock()
        for (attributes, status) in [
            ([.keyClass: 1], .interactionNotAllowed), ([.keyClass: 0], .itemNotFound),
            ([.keyClass: 1, .type: 73], .interactionNotAllowed),
        ] as [(Attributes, Status)] {
            let query = attributes.with([.applicationTag: "canary tag"])
            try expectStatus(status, of: ItemFilter(itemClass: .key, attributes: query))
        }
    }

    /// The store has no digest of a comment, so only decrypting the item would show whether the query matches.
    @Test func `an attribute without a digest cannot exclude a locked item`() throws {
        try calls.add(Self.password.with([.comment: "canary c"]))
        try calls.keychain.lock()
        for comment: AttributeValue in ["canary c", "canary d"] {
            let filter = ItemFilter.generic(Self.identity.with([.comment: comment]))
            try expectStatus(.interactionNotAllowed, of: filter)
            expect(.interactionNotAllowed) { try calls.delete(filter) }
        }
    }
}
