// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

@Suite(.searchedKeychain) struct PersistentReferenceTests {
    @Test func `a reference finds its item, synchronizable or not`() throws {
        let calls = try Calls()
        for flag: AttributeValue in [0, 1] {
            let item = try calls.add([.account: "canary a", .synchronizable: flag])
            #expect(try calls.find(.reference(item)).map { $0.attributes[.synchronizable] } == [flag])
            #expect(try calls.reopened().find(.reference(item), limit: .one).map(\.secret) == [item?.secret])
        }
    }

    @Test func `a reference survives every change of the item`() throws {
        let calls = try Calls()
        let item = try calls.add([.account: "canary a", .service: "canary s"])
        let changes: [Attributes] = [
            [.account: "canary b", .service: "canary t"], [.accessGroup: "TEAM.shared"], [.synchronizable: 1],
            [.accessible: "cku"], [.label: "canary l"], [:],
        ]
        for change in changes {
            try calls.update(.reference(item), change)
            let found = try calls.find(.reference(item))
            #expect(found.map(\.reference) == [item?.reference].compactMap(\.self))
            for entry in change.entries { #expect(found.first?.attributes[entry.attribute] == entry.value) }
        }
    }

    @Test func `a reference and attributes must both match in update and delete`() throws {
        let calls = try Calls()
        let item = try calls.add([.account: "canary a", .label: "canary l"])
        let other = try calls.add([.account: "canary b"])
        expect(.itemNotFound) {
            try calls.update(.reference(item, [.label: "canary m"]), [.comment: "canary"])
        }
        expect(.itemNotFound) { try calls.delete(.reference(item, [.account: "canary b"])) }
        try calls.update(.reference(item, [.label: "canary l"]), [.comment: "canary"])
        try calls.delete(.reference(item, [.account: "canary a", .comment: "canary"]))
        expect(.itemNotFound) { _ = try calls.find(.reference(item)) }
        #expect(try calls.find(.reference(other)).count == 1)
    }

    @Test func `a reference does not find items of foreign groups`() throws {
        let calls = try Calls()
        let item = try calls.add([.account: "canary a", .accessGroup: "TEAM.shared"])
        expect(.itemNotFound) { _ = try calls.with(groups: ["TEAM.app"]).find(.reference(item)) }
        #expect(try calls.with(groups: ["TEAM.shared"]).find(.reference(item)).count == 1)
    }

    @Test func `an unknown reference and one of another class find nothing`() throws {
        let calls = try Calls()
        let item = try #require(try calls.add([.account: "canary a"]))
        for reference in [
            PersistentReference(itemClass: .genericPassword, item: .random()),
            PersistentReference(itemClass: .internetPassword, item: item.reference.item),
        ] {
            let filter = ItemFilter(itemClass: reference.itemClass, reference: reference)
            expect(.itemNotFound) { _ = try calls.find(filter) }
            expect(.itemNotFound) { try calls.update(filter) }
            expect(.itemNotFound) { try calls.delete(filter) }
        }
    }

    @Test func `the bytes of a reference are its class and its identifier`() throws {
        let item = try #require(try Calls().add([.account: "canary a"], as: .internetPassword))
        let bytes = item.reference.bytes
        #expect(bytes.count == 20)
        #expect(bytes.prefix(4) == Array("inet".utf8)[...])
        #expect(try PersistentReference(bytes) == item.reference)
    }

    @Test(arguments: [
        [], Array("genp".utf8), Array("genp".utf8) + Self.zeros(8), Array("genp".utf8) + Self.zeros(17),
        Array("xxxx".utf8) + Self.zeros(16), [0xff, 0xfe, 0xfd, 0xfc] + Self.zeros(16),
    ])
    func `malformed bytes are not a reference`(bytes: [UInt8]) {
        expect(.invalidParameter) { _ = try PersistentReference(bytes) }
    }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}
