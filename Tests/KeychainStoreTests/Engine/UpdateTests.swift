// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Synchronization
import Testing

@Suite(.searchedKeychain) struct UpdateTests {
    private static let identity: Attributes = [.service: "canary s", .account: "canary a"]

    private func item(_ calls: Calls, _ filter: ItemFilter = .generic()) throws -> FoundItem {
        let found = try calls.find(filter)
        #expect(found.count == 1)
        return try #require(found.first)
    }

    @Test func `an empty update only changes the modification date`() throws {
        let calls = try Calls()
        let before = try #require(try calls.add(Self.identity.with([.label: "canary l"])))
        try calls.update(.generic(Self.identity))
        let after = try item(calls)
        for attribute in Attribute.allCases where ![.modificationDate, .sha1].contains(attribute) {
            #expect(after.attributes[attribute] == before.attributes[attribute])
        }
        let dates = [before, after].compactMap { $0.attributes[.modificationDate]?.seconds }
        #expect(dates.count == 2 && dates[0] < dates[1])
        #expect(after.attributes[.sha1] != before.attributes[.sha1])
        #expect(after.secret == before.secret)
        #expect(after.reference == before.reference)
    }

    @Test func `attributes and the value can be updated independently`() throws {
        let calls = try Calls()
        try calls.add(Self.identity.with([.label: "canary l"]))
        try calls.update(.generic(), [.label: "canary m", .comment: "canary c"])
        var changed = try item(calls)
        #expect(changed.attributes[.label] == "canary m")
        #expect(changed.attributes[.comment] == "canary c")
        #expect(changed.secret == SecretBuffer("canary secret".utf8))
        try calls.update(.generic(), secret: SecretBuffer("canary new".utf8))
        changed = try item(calls.reopened())
        #expect(changed.attributes[.label] == "canary m")
        #expect(changed.secret == SecretBuffer("canary new".utf8))
        try calls.update(.generic(), secret: SecretBuffer())
        #expect(try item(calls).secret == SecretBuffer())
    }

    @Test func `a value that is too large is rejected, and the old one stays`() throws {
        let calls = try Calls()
        try calls.add(Self.identity)
        // The buffer claims 939,524,097 bytes but allocates one: its size must be refused before a byte is
        // read.
        let huge = SecretBuffer(capacity: 1) { _ in 939_524_097 }
        expect(.dataTooLarge) { try calls.update(.generic(), secret: huge) }
        expect(.dataTooLarge) { try calls.add([.account: "canary b"], huge) }
        #expect(try calls.reopened().find(.generic()).map(\.secret) == [SecretBuffer("canary secret".utf8)])
    }

    @Test func `a value can be added to an item without one`() throws {
        let calls = try Calls()
        try calls.add(Self.identity, nil)
        try calls.update(.generic(), [.label: "canary"])
        #expect(try item(calls).secret == nil)
        try calls.update(.generic(), [.accessible: "ck"])
        #expect(try item(calls).secret == nil)
        try calls.update(.generic(), secret: SecretBuffer("canary".utf8))
        #expect(try item(calls).secret == SecretBuffer("canary".utf8))
    }

    @Test func `the index is updated with the attributes`() throws {
        let calls = try Calls()
        try calls.add(Self.identity.with([.label: "canary l"]))
        try calls.update(.generic(Self.identity), [.account: "canary b", .label: "canary m"])
        #expect(try calls.accounts(.generic(Self.identity)).isEmpty)
        #expect(try calls.accounts(.generic([.label: "canary l"])).isEmpty)
        #expect(try calls.accounts(.generic([.account: "canary a"])).isEmpty)
        #expect(try calls.accounts(.generic([.label: "canary m"])) == ["canary b"])
        #expect(try calls.accounts(.generic([.service: "canary s"])) == ["canary b"])
        #expect(try calls.accounts(.generic([.service: "canary s", .account: "canary b"])) == ["canary b"])
    }

    @Test func `modification dates increase when the clock goes back`() throws {
        let time = Mutex(5_000.0)
        let calls = try Calls().reopened { time.withLock { $0 } }
        try calls.add(Self.identity)
        time.withLock { $0 = 1 }
        try calls.update(.generic(), [.label: "canary"])
        let first = try #require(try item(calls).attributes[.modificationDate]?.seconds)
        #expect(first > 5_000)
        try calls.update(.generic(), [.modificationDate: .date(9_000), .creationDate: .date(17)])
        let second = try item(calls).attributes
        #expect(try #require(second[.modificationDate]?.seconds) > first)
        #expect(try #require(second[.modificationDate]?.seconds) < 9_000)
        #expect(second[.creationDate] == .date(17))
        time.withLock { $0 = 6_000 }
        try calls.update(.generic())
        #expect(try item(calls).attributes[.modificationDate] == .date(6_000))
    }

    @Test func `all matching items are updated in one transaction`() throws {
        let calls = try Calls()
        for number in 0..<5 { try calls.add([.account: .string("canary \(number)"), .service: "canary s"]) }
        try calls.add([.account: "canary 9", .service: "canary t"])
        let generation = try calls.status().generation
        try calls.update(
            .generic([.service: "canary s"]),
            [.label: "canary l"],
            secret: SecretBuffer("canary".utf8)
        )
        #expect(try calls.find(.generic([.label: "canary l"])).map(\.secret).count == 5)
        #expect(try calls.find(.generic([.service: "canary t"])).map { $0.attributes[.label] } == [nil])
        #expect(try calls.status().generation == generation + 1)
    }

    @Test func `an item can be moved to another group of the caller`() throws {
        let calls = try Calls()
        let before = try calls.add(Self.identity)
        try calls.update(.generic(Self.identity), [.accessGroup: "TEAM.shared"])
        #expect(try calls.accounts(.generic([.accessGroup: "TEAM.app"])).isEmpty)
        #expect(try item(calls, .generic([.accessGroup: "TEAM.shared"])).reference == before?.reference)
        #expect(try calls.with(groups: ["TEAM.shared"]).accounts(.generic([.service: "canary s"])).count == 1)
        expect(.itemNotFound) { _ = try calls.with(groups: ["TEAM.app"]).find(.generic()) }
        expect(.missingEntitlement) { try calls.update(.generic(), [.accessGroup: "TEAM.other"]) }
    }

    @Test func `moving an item to a group with a duplicate fails`() throws {
        let calls = try Calls()
        try calls.add(Self.identity.with([.label: "canary app"]))
        try calls.add(Self.identity.with([.accessGroup: "TEAM.shared", .label: "canary shared"]))
        expect(.duplicateItem) {
            try calls.update(.generic([.label: "canary app"]), [.accessGroup: "TEAM.shared"])
        }
        #expect(try calls.accounts(.generic([.accessGroup: "TEAM.app"])) == ["canary a"])
    }

    @Test func `a duplicate rolls back the whole update`() throws {
        let calls = try Calls()
        for number in 0..<4 {
            try calls.add([.account: .string("canary \(number)"), .service: .string("canary s\(number % 2)")])
        }
        let before = Set(try calls.find(.generic()).map(\.attributes))
        let generation = try calls.status().generation
        expect(.duplicateItem) { try calls.update(.generic(), [.account: "canary same", .label: "canary"]) }
        expect(.duplicateItem) {
            try calls.update(.generic([.account: "canary 0"]), [.account: "canary 2"], secret: SecretBuffer())
        }
        #expect(Set(try calls.find(.generic()).map(\.attributes)) == before)
        #expect(try calls.status().generation == generation)
        #expect(Set(try calls.reopened().find(.generic()).map(\.attributes)) == before)
    }

    @Test func `setting the current values is not a duplicate`() throws {
        let calls = try Calls()
        try calls.add(Self.identity)
        try calls.update(.generic(), Self.identity.with([.accessGroup: "TEAM.app", .synchronizable: 0]))
        try calls.update(.generic(), [.account: .data(Array("canary a".utf8))])
        #expect(try item(calls).attributes[.account] == .data(Array("canary a".utf8)))
    }

    @Test func `changing the protection class encrypts the item again`() throws {
        let calls = try Calls()
        let before = try #require(try calls.add(Self.identity))
        for protection in ["aku", "ck", "cku", "dk", "dku", "ak"] {
            try calls.update(.generic(), [.accessible: .string(protection)])
            let after = try item(calls.reopened())
            #expect(after.attributes[.accessible] == .string(protection))
            #expect(after.secret == before.secret)
            #expect(after.reference == before.reference)
        }
        try calls.update(.generic(), accessControl: AccessControl(protection: .always, flags: 0))
        #expect(try item(calls).attributes[.accessible] == "dk")
    }

    @Test func `the passcode class and constraints are rejected without a passcode`() throws {
        let calls = try Calls()
        try calls.add(Self.identity)
        expect(.authenticationFailed) { try calls.update(.generic(), [.accessible: "akpu"]) }
        expect(.authenticationFailed) {
            try calls.update(.generic(), accessControl: AccessControl(protection: .always, flags: 1))
        }
        expect(.invalidParameter) { try calls.update(.generic(), [.accessible: "xx"]) }
        #expect(try item(calls).attributes[.accessible] == "ak")
    }

    @Test func `an update without a match is errSecItemNotFound`() throws {
        let calls = try Calls()
        try calls.add(Self.identity)
        expect(.itemNotFound) { try calls.update(.generic([.account: "canary z"]), [.label: "canary"]) }
        expect(.itemNotFound) { try calls.update(.internet(), [.label: "canary"]) }
    }
}
