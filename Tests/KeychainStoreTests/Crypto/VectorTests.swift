// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import Testing

@testable import KeychainStore

/// Every vector was written by another implementation; what it expects is part of the format.
@Suite struct VectorTests {
    @Test func `there are vectors of every kind`() {
        let kinds = Set(Vector.all.compactMap { $0.inputs["kind"] })
        #expect(
            kinds == [
                "device-key", "header", "keybag", "buckets", "record", "digest-group", "digest-attribute",
                "identity",
            ]
        )
    }

    @Test(arguments: Vector.all(of: "device-key"))
    func `a device key is read or refused`(vector: Vector) throws {
        try expect(vector) {
            let key = try deviceKey(from: vector.bytes)
            #expect(try key.store.data == vector.data("store"))
        }
    }

    @Test(arguments: Vector.all(of: "header"))
    func `a header is opened or refused`(vector: Vector) throws {
        let keys = try vector.keys()
        try expect(vector) {
            let header = try StoreHeader(opening: vector.bytes, with: keys)
            guard vector.expectation == "success" else { return }
            #expect(try header.generation == vector.number("generation"))
            #expect(try header.itemCount == vector.number("items"))
            #expect(try header.tombstoneCount == vector.number("tombstones"))
            #expect(try header.keybagDigest == Bytes32(vector.data("keybag-digest")))
            #expect(header.bucketDigests.count == 16)
            #expect(try header.bucketDigests.first == Bytes32(vector.data("first-bucket-digest")))
            #expect(try header.bucketDigests.last == Bytes32(vector.data("last-bucket-digest")))
            #expect(try Data(header.tombstoneSum.bytes) == vector.data("tombstone-sum"))
            let counts = try vector.text("wrap-counts").split(separator: " ").compactMap { UInt64($0) }
            #expect(header.wrapCounts == [0] + counts)
            #expect(try header.isReadOnly == (vector.text("read-only") == "yes"))
        }
    }

    @Test(arguments: Vector.all(of: "keybag"))
    func `a keybag is opened or refused`(vector: Vector) throws {
        let keys = try vector.keys()
        let digest = try #require(try Bytes32(vector.data("digest")))
        try expect(vector) {
            var keybag = try Keybag(opening: vector.bytes, vouchedBy: .vouching(for: digest), with: keys)
            var classes: [String] = []
            for protection in ProtectionClass.allCases where protection != .whenPasscodeSetThisDeviceOnly {
                _ = try keybag.classKey(for: protection)
                classes.append(String(protection.rawValue))
            }
            #expect(try classes.joined(separator: " ") == vector.text("classes"))
            #expect(throws: StatusError(.authenticationFailed, .passcodeNotSet)) {
                try keybag.classKey(for: .whenPasscodeSetThisDeviceOnly)
            }
            #expect(!keybag.passcodeIsSet)
            #expect(keybag.page == vector.bytes)
        }
    }

    @Test(arguments: Vector.all(of: "buckets"))
    func `a page of the set hash is opened or refused`(vector: Vector) throws {
        let keys = try vector.keys()
        let number: Int = try vector.number("number")
        try expect(vector) {
            let page = try BucketPage(opening: vector.bytes, as: number, with: keys)
            guard vector.expectation == "success" else { return }
            let first = UInt8(number * 16)
            #expect(try Data(page[first].bytes) == vector.data("first-sum"))
            #expect(try Data(page[first + 15].bytes) == vector.data("last-sum"))
        }
    }

    @Test(arguments: Vector.all(of: "record"))
    func `a record is opened or refused`(vector: Vector) throws {
        let keys = try vector.keys()
        var keybag = try vector.keybag(keys)
        let sealer = ItemSealer(keys: keys)
        let row = try vector.row()
        if vector.expectation == "valueDamaged" {
            // The attributes open; it is the value that does not belong to them.
            let item = try sealer.open(row, with: &keybag)
            #expect(throws: StatusError(.undecodable, .recordDamaged)) {
                try sealer.exposedSecret(of: item, with: &keybag)
            }
            return
        }
        try expect(vector) {
            let item = try sealer.open(row, with: &keybag)
            guard vector.expectation == "success" else { return }
            #expect(try item.attributes == vector.attributes())
            let value = try sealer.exposedSecret(of: item, with: &keybag)
            switch try vector.text("value") {
            case "none": #expect(value == nil)
            case "empty": #expect(value == Data())
            default: #expect(try value == vector.data("value"))
            }
            guard vector.inputs["set-hash"] != nil else { return }
            #expect(try Data(keys.setHash(of: row).bytes) == vector.data("set-hash"))
        }
    }

    @Test(arguments: Vector.all(of: "digest-group"))
    func `the digest of an access group is known`(vector: Vector) throws {
        #expect(try vector.keys().index.accessGroup(vector.text("access-group")).data == vector.bytes)
    }

    @Test(arguments: Vector.all(of: "digest-attribute"))
    func `the digest of an attribute is known`(vector: Vector) throws {
        let itemClass = try #require(try ItemClass(rawValue: vector.number("item-class")))
        let entry = try #require(try vector.attributes("attribute").entries.first)
        let rule = try #require(ItemSchema.of(itemClass)[entry.attribute])
        let group = try #require(try Bytes16(vector.data("group")))
        let digest = try vector.keys().index.attribute(rule, entry.value, of: itemClass, in: group)
        #expect(digest.data == vector.bytes)
    }

    @Test(arguments: Vector.all(of: "identity"))
    func `the digest of an identity is known`(vector: Vector) throws {
        let digest = try vector.keys().index.identity(
            of: #require(try ItemClass(rawValue: vector.number("item-class"))),
            vector.attributes(),
            in: #require(try Bytes16(vector.data("group"))),
            synchronizable: vector.text("synchronizable") == "1"
        )
        #expect(digest.withBytes { Data($0) } == vector.bytes)
    }

    /// Holds a vector to its expectation: success, or the reason of the error.
    private func expect(_ vector: Vector, _ body: () throws -> Void) throws {
        if vector.expectation == "success" { return try body() }
        let error = #expect(throws: StatusError.self) { try body() }
        #expect(error?.reason == Reason(rawValue: vector.expectation))
    }
}
