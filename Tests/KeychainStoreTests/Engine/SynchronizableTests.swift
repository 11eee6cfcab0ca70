// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

@Suite(.searchedKeychain) struct SynchronizableTests {
    private static let twin: Attributes = [.account: "canary a", .service: "canary s"]

    /// Returns calls to a store with an item and its synchronizable counterpart.
    private func twins() throws -> Calls {
        let calls = try Calls()
        try calls.add(Self.twin.with([.label: "canary here"]))
        try calls.add(Self.twin.with([.label: "canary everywhere", .synchronizable: 1]))
        return calls
    }

    @Test(arguments: [
        (ItemFilter.Synchronizable.unspecified, ["canary here"]), (.exactly(false), ["canary here"]),
        (.exactly(true), ["canary everywhere"]), (.any, ["canary everywhere", "canary here"]),
    ])
    func `a query selects synchronizable items, others, or both`(
        synchronizable: ItemFilter.Synchronizable,
        labels: [String]
    ) throws {
        let calls = try twins()
        for attributes: Attributes in [[:], Self.twin, [.service: "canary s"]] {
            let found = try calls.find(.generic(attributes, synchronizable))
            #expect(found.compactMap { $0.attributes[.label]?.text }.sorted() == labels)
            for item in found {
                let flag: AttributeValue = item.attributes[.label] == "canary here" ? 0 : 1
                #expect(item.attributes[.synchronizable] == flag)
            }
        }
    }

    @Test func `synchronizable and local items are duplicates only of themselves`() throws {
        let calls = try twins()
        expect(.duplicateItem) { try calls.add(Self.twin) }
        expect(.duplicateItem) { try calls.add(Self.twin.with([.synchronizable: 1])) }
    }

    @Test func `update and delete do not affect the counterpart`() throws {
        let calls = try twins()
        try calls.update(.generic(Self.twin), secret: SecretBuffer("canary new".utf8))
        #expect(
            try calls.find(.generic([:], .exactly(true))).map(\.secret) == [
                SecretBuffer("canary secret".utf8)
            ]
        )
        try calls.delete(.generic())
        #expect(try calls.find(.generic([:], .any)).map { $0.attributes[.label] } == ["canary everywhere"])
    }

    @Test func `an update makes an item synchronizable unless its counterpart exists`() throws {
        let calls = try twins()
        expect(.duplicateItem) { try calls.update(.generic(Self.twin), [.synchronizable: 1]) }
        expect(.duplicateItem) { try calls.update(.generic([:], .any), [.synchronizable: 0]) }
        try calls.delete(.generic([:], .exactly(true)), leavesTombstones: false)
        let before = try calls.find(.generic())
        try calls.update(.generic(Self.twin), [.synchronizable: 1])
        expect(.itemNotFound) { _ = try calls.find(.generic(Self.twin)) }
        let after = try calls.find(.generic(Self.twin, .exactly(true)))
        #expect(after.map(\.reference) == before.map(\.reference))
        #expect(after.map(\.secret) == before.map(\.secret))
    }

    @Test func `a deleted item leaves a tombstone that queries ignore`() throws {
        let calls = try twins()
        try calls.delete(.generic([:], .exactly(true)))
        #expect(try calls.find(.generic([:], .any)).map { $0.attributes[.label] } == ["canary here"])
        expect(.itemNotFound) { try calls.delete(.generic([:], .exactly(true))) }
        expect(.itemNotFound) { try calls.update(.generic([:], .exactly(true)), [.label: "canary"]) }
        #expect(try calls.status().tombstoneCount == 1)
        #expect(try calls.status().itemCount == 1)
    }

    @Test func `a tombstone contains only the primary key`() throws {
        let calls = try twins()
        try calls.delete(.generic([:], .exactly(true)))
        var filter = ItemFilter.generic(Self.twin, .any)
        filter.tombstones = true
        let tombstone = try #require(try calls.find(filter).first)
        #expect(tombstone.secret == nil)
        #expect(tombstone.attributes[.account] == "canary a")
        #expect(tombstone.attributes[.label] == nil)
        #expect(tombstone.attributes[.tombstone] == 1)
        try calls.delete(filter)
        expect(.itemNotFound) { _ = try calls.find(filter) }
        #expect(try calls.status().tombstoneCount == 0)
    }

    @Test func `tombstones cannot be updated or duplicated`() throws {
        let calls = try Calls()
        for account in ["canary 1", "canary 2"] {
            try calls.add([.account: .string(account), .synchronizable: 1])
        }
        try calls.delete(.generic([:], .exactly(true)))
        var filter = ItemFilter.generic([:], .any)
        filter.tombstones = true
        expect(.itemNotFound) {
            try calls.update(filter, [.account: "canary 3"], secret: SecretBuffer("canary".utf8))
        }
        #expect(try calls.accounts(filter) == ["canary 1", "canary 2"])
        #expect(try calls.reopened().accounts(filter) == ["canary 1", "canary 2"])
    }

    @Test func `adding an item reuses its tombstone and reference`() throws {
        let calls = try Calls()
        let twin = Self.twin.with([.synchronizable: 1])
        let first = try calls.add(twin.with([.comment: "canary old"]))
        try calls.delete(.generic([:], .exactly(true)))
        let second = try calls.add(twin.with([.label: "canary new"]), SecretBuffer("canary 2".utf8))
        #expect(second?.reference == first?.reference)
        let found = try #require(try calls.reopened().find(.reference(first)).first)
        #expect(found.secret == SecretBuffer("canary 2".utf8))
        #expect(found.attributes[.label] == "canary new")
        #expect(found.attributes[.comment] == nil)
        #expect(try calls.accounts(.generic([.label: "canary new"], .any)) == ["canary a"])
        #expect(try calls.status().tombstoneCount == 0)
    }

    @Test func `a deletion can leave no tombstone`() throws {
        let calls = try Calls()
        let first = try calls.add([.account: "canary a", .synchronizable: 1])
        try calls.delete(.generic([:], .any), leavesTombstones: false)
        #expect(try calls.status().tombstoneCount == 0)
        #expect(try calls.add([.account: "canary a", .synchronizable: 1])?.reference != first?.reference)
    }

    @Test func `a tombstone is replaced by an item that takes its primary key`() throws {
        let calls = try Calls()
        try calls.add(Self.twin.with([.synchronizable: 1]))
        try calls.delete(.generic([:], .exactly(true)))
        let moved = try calls.add(Self.twin)
        try calls.update(.generic(Self.twin), [.synchronizable: 1])
        #expect(
            try calls.reopened().find(.generic([:], .any)).map(\.reference)
                == [moved?.reference].compactMap(\.self)
        )
        #expect(try calls.status().tombstoneCount == 0)
        #expect(try calls.status().itemCount == 1)
    }
}
