// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

@Suite(.searchedKeychain) struct AddTests {
    @Test func `missing attributes of a generic password have their defaults`() throws {
        let item = try #require(try Calls().add([.service: "canary mail"]))
        #expect(item.attributes[.account] == "")
        #expect(item.attributes[.service] == "canary mail")
        #expect(item.attributes[.synchronizable] == 0)
        #expect(item.attributes[.accessGroup] == "TEAM.app")
        #expect(item.attributes[.accessible] == "ak")
        #expect(item.attributes[.label] == nil)
        #expect(item.attributes[.generic] == nil)
        #expect(item.accessControl == AccessControl(protection: .whenUnlocked))
    }

    @Test func `missing attributes of an internet password have their defaults`() throws {
        let item = try #require(try Calls().add([.server: "canary.example"], as: .internetPassword))
        let defaults: Attributes = [
            .account: "", .securityDomain: "", .protocol: 0, .authenticationType: "", .port: 0, .path: "",
        ]
        for entry in defaults.entries { #expect(item.attributes[entry.attribute] == entry.value) }
        #expect(item.attributes[.server] == "canary.example")
        #expect(item.reference.itemClass == .internetPassword)
    }

    @Test func `an item without attributes can be added once`() throws {
        let calls = try Calls()
        try calls.add([:])
        expect(.duplicateItem) { try calls.add([:]) }
        #expect(try calls.accounts(.generic([.account: "", .service: ""])) == [""])
    }

    @Test func `dates come from the clock regardless of the caller`() throws {
        let calls = try Calls().reopened { 1_000 }
        let item = try calls.add([.account: "canary a", .creationDate: .date(1), .modificationDate: .date(2)])
        #expect(item?.attributes[.creationDate] == .date(1_000))
        #expect(item?.attributes[.modificationDate] == .date(1_000))
    }

    @Test func `every attribute is returned in its supplied type`() throws {
        let attributes: Attributes = [
            .account: .data(Array("canary account".utf8)), .service: 7, .generic: .data([0, 255]),
            .label: "canary label", .description: "", .comment: "canary ü\u{0}", .creator: 0x6161_6161,
            .type: "canary type", .isInvisible: 1, .isNegative: 0, .scriptCode: .number(.max),
            .alias: .data([]),
        ]
        let calls = try Calls()
        let added = try #require(try calls.add(attributes))
        let found = try #require(try calls.reopened().find(.generic()).first)
        for entry in attributes.entries {
            #expect(added.attributes[entry.attribute] == entry.value)
            #expect(found.attributes[entry.attribute] == entry.value)
        }
        #expect(found.attributes == added.attributes)
        #expect(found.reference == added.reference)
    }

    @Test func `adding a duplicate returns errSecDuplicateItem and keeps the first item`() throws {
        let calls = try Calls()
        try calls.add([.account: "canary a", .label: "canary one"], SecretBuffer("canary 1".utf8))
        let before = try calls.find(.generic())
        let generation = try calls.status().generation
        expect(.duplicateItem) { try calls.add([.account: "canary a", .label: "canary two"]) }
        let after = try calls.find(.generic())
        #expect(after.map(\.attributes) == before.map(\.attributes))
        #expect(after.map(\.secret) == [SecretBuffer("canary 1".utf8)])
        #expect(try calls.status().generation == generation)
        #expect(try calls.status().itemCount == 1)
    }

    @Test func `an item that a query does not match can still be a duplicate`() throws {
        let calls = try Calls()
        try calls.add([.account: "canary a", .generic: "canary x"])
        #expect(try calls.accounts(.generic([.account: "canary a", .generic: "canary y"])).isEmpty)
        expect(.duplicateItem) { try calls.add([.account: "canary a", .generic: "canary y"]) }
    }

    @Test func `a missing value differs from an empty value`() throws {
        let calls = try Calls()
        #expect(try calls.add([.account: "canary none"], nil)?.secret == nil)
        #expect(try calls.add([.account: "canary empty"], SecretBuffer())?.secret == SecretBuffer())
        #expect(try calls.find(.generic([.account: "canary none"])).map(\.secret) == [nil])
        #expect(try calls.find(.generic([.account: "canary empty"])).map(\.secret) == [SecretBuffer()])
    }

    @Test(arguments: [1, 15, 16, 17, 4_095, 65_536, 1_000_000, 20_000_000])
    func `a value of any size is returned unchanged`(count: Int) throws {
        let calls = try Calls()
        let bytes = [UInt8](repeating: 0xA5, count: count - 1) + [0]
        let (secret, longer) = (SecretBuffer(bytes), SecretBuffer(bytes + [1]))
        #expect(try calls.add([.account: "canary a"], secret)?.secret == secret)
        #expect(try calls.reopened().find(.generic(), returning: .data).first?.secret == secret)
        try calls.update(.generic(), secret: longer)
        #expect(try calls.find(.generic(), returning: .data).first?.secret == longer)
    }

    @Test func `an account of a million bytes is found`() throws {
        let calls = try Calls()
        let long = String(repeating: "canary ", count: 150_000)
        try calls.add([.account: .string(long)])
        #expect(try calls.accounts(.generic([.account: .string(long)])) == [long])
        #expect(try calls.accounts(.generic([.account: .string(long + "x")])).isEmpty)
    }

    @Test func `only requested parts are returned`() throws {
        let calls = try Calls()
        #expect(try calls.add([.account: "canary a"], returning: []) == nil)
        let item = try #require(try calls.add([.account: "canary b"], returning: .persistentReference))
        #expect(item.secret == nil)
        #expect(item.attributes.isEmpty)
    }

    @Test func `adding an item that requires authentication fails without a passcode`() throws {
        let calls = try Calls()
        let constrained = AccessControl(protection: .whenUnlocked, flags: 1)
        expect(.authenticationFailed) { try calls.add([.account: "canary a"], accessControl: constrained) }
        #expect(try calls.accounts(.generic()).isEmpty)
        let plain = AccessControl(protection: .afterFirstUnlock, flags: 0)
        let item = try calls.add([.account: "canary a"], accessControl: plain)
        #expect(item?.attributes[.accessible] == "ck")
    }

    @Test func `an identity is not stored itself`() throws {
        let calls = try Calls()
        expect(.unimplemented) { try calls.add([.label: "canary"], as: .identity) }
        #expect(try calls.status().itemCount == 0)
    }

    @Test(arguments: [ItemClass.certificate, .key])
    func `certificates and keys added as data have equal primary keys`(itemClass: ItemClass) throws {
        let calls = try Calls()
        try calls.add([.label: "canary first"], as: itemClass)
        expect(.duplicateItem) { try calls.add([.label: "canary second"], as: itemClass) }
        #expect(try calls.find(ItemFilter(itemClass: itemClass)).count == 1)
    }

    /// Items in the group `com.apple.apsd`, which Apple's push notification daemon reads before the first
    /// unlock.
    @Test(arguments: [ItemClass.genericPassword, .internetPassword, .key], [true, false])
    func `an item in the push notification group is always accessible, on this device only`(
        itemClass: ItemClass,
        isNamed: Bool
    ) throws {
        let calls = try Calls().with(groups: isNamed ? ["TEAM.app", "com.apple.apsd"] : ["com.apple.apsd"])
        let group: Attributes = isNamed ? [.accessGroup: "com.apple.apsd"] : [:]
        #expect(try calls.add(group, as: itemClass)?.attributes[.accessible] == "dku")
        let other: Attributes = group.with([.label: "canary", .accessible: "ck", .syncViewHint: "canary"])
        #expect(try calls.add(other, as: itemClass)?.attributes[.accessible] == "ck")
        guard isNamed else { return }
        #expect(try calls.add([:], as: itemClass)?.attributes[.accessible] == "ak")
    }

    @Test(arguments: ItemClass.allCases.filter(\.isStored))
    func `an item without a protection class has the default of its item class`(itemClass: ItemClass) throws {
        let item = try #require(try Calls().add([:], as: itemClass))
        #expect(item.attributes[.accessible] == (itemClass == .certificate ? "dk" : "ak"))
    }
}
