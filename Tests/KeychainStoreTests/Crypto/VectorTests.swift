// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import Testing

@testable import KeychainStore

/// Test vectors of the store format, written by an independent implementation.
@Suite struct VectorTests {
    @Test func `there are vectors of every kind`() {
        let kinds = Set(Vector.all.compactMap { $0.inputs["kind"] })
        #expect(
            kinds == [
                "device-key", "header", "keybag", "record", "digest-group", "digest-attribute",
                "identity", "box", "digest", "passcode-key", "sealed-for",
            ]
        )
    }

    @Test(arguments: Vector.all(of: "device-key"))
    func `device keys of the test vectors are decoded`(vector: Vector) throws {
        try expect(vector) {
            let key = try deviceKey(from: vector.bytes)
            #expect(try key.store.bytes == Array(vector.data("store")))
        }
    }

    @Test(arguments: Vector.all(of: "header"))
    func `headers of the test vectors are decoded`(vector: Vector) throws {
        let keys = try vector.keys()
        try expect(vector) {
            var header = try StoreHeader(opening: vector.bytes, with: keys)
            let sums = try header.bucketSums.all(with: keys)
            guard vector.expectation == "success" else { return }
            #expect(try header.generation == vector.number("generation"))
            #expect(try header.itemCount == vector.number("items"))
            #expect(try header.tombstoneCount == vector.number("tombstones"))
            #expect(try header.hasOptionalKeys == (vector.text("optional-keys") == "yes"))
            #expect(try header.keybagDigest == Bytes32(Array(vector.data("keybag-digest"))))
            #expect(try sums.first?.bytes.bytes == Array(vector.data("first-sum")))
            #expect(try sums.last?.bytes.bytes == Array(vector.data("last-sum")))
            #expect(try header.tombstoneSum.bytes.bytes == Array(vector.data("tombstone-sum")))
            #expect(try header.isReadOnly == (vector.text("read-only") == "yes"))
        }
    }

    @Test(arguments: Vector.all(of: "keybag"))
    func `keybags of the test vectors are decoded`(vector: Vector) throws {
        let keys = try vector.keys()
        let digest = try #require(try Bytes32(Array(vector.data("digest"))))
        try expect(vector) {
            let keybag = try Keybag(opening: vector.bytes, digest: digest, with: keys)
            let classKeys = KeySession(keybag)
            var classes: [String] = []
            for protection in ProtectionClass.allCases where protection != .whenPasscodeSetThisDeviceOnly {
                _ = try classKeys.classKey(for: protection)
                classes.append(String(protection.rawValue))
            }
            #expect(try classes.joined(separator: " ") == vector.text("classes"))
            #expect(throws: StatusError(.authenticationFailed, .passcodeNotSet)) {
                try classKeys.classKey(for: .whenPasscodeSetThisDeviceOnly)
            }
            #expect(!keybag.passcodeIsSet)
            #expect(keybag.page == vector.bytes)
        }
    }

    @Test(arguments: Vector.all(of: "record"))
    func `item rows of the test vectors are decrypted`(vector: Vector) throws {
        let keys = try vector.keys()
        let classKeys = try vector.classKeys(keys)
        let sealer = ItemSealer(keys: keys)
        let row = try vector.row()
        if vector.expectation == "valueDamaged" {
            // The attributes of this vector are valid, but its encrypted value belongs to other attributes.
            let item = try sealer.open(row, with: classKeys)
            #expect(throws: StatusError(.undecodable, .recordDamaged)) {
                try sealer.decryptedValue(of: item)
            }
            return
        }
        try expect(vector) {
            let item = try sealer.open(row, with: classKeys)
            guard vector.expectation == "success" else { return }
            #expect(try item.attributes == vector.attributes())
            let value = try sealer.decryptedValue(of: item)
            switch try vector.text("value") {
            case "none": #expect(value == nil)
            case "empty": #expect(value == SecretBuffer())
            default: #expect(try value == SecretBuffer(vector.data("value")))
            }
            if let value {
                // The value can be decrypted without the attributes: it is authenticated together with the columns.
                #expect(try SealedValue(of: row)?.open(with: classKeys) == value)
            }
            guard vector.inputs["set-hash"] != nil else { return }
            #expect(try keys.rowHash(of: row).bytes.bytes == Array(vector.data("set-hash")))
        }
    }

    @Test(arguments: Vector.all(of: "digest-group"))
    func `digests of access groups match the test vectors`(vector: Vector) throws {
        #expect(try vector.keys().index.accessGroup(vector.text("access-group")).bytes == vector.bytes)
    }

    @Test(arguments: Vector.all(of: "digest-attribute"))
    func `digests of attributes match the test vectors`(vector: Vector) throws {
        let itemClass = try #require(try ItemClass(rawValue: vector.number("item-class")))
        let entry = try #require(try vector.attributes("attribute").entries.first)
        let rule = try #require(ItemSchema.of(itemClass)[entry.attribute])
        let group = try vector.group()
        let digest = try vector.keys().index.attribute(rule, entry.value, of: itemClass, in: group)
        #expect(digest.bytes == vector.bytes)
    }

    @Test(arguments: Vector.all(of: "identity"))
    func `digests of identities match the test vectors`(vector: Vector) throws {
        let digest = try vector.keys().index.identity(
            of: #require(try ItemClass(rawValue: vector.number("item-class"))),
            vector.attributes(),
            in: vector.group(),
            synchronizable: vector.text("synchronizable") == "1"
        )
        #expect(digest.bytes.bytes == vector.bytes)
    }

    @Test(arguments: Vector.all(of: "box"))
    func `boxes of the test vectors are opened with their associated data`(vector: Vector) throws {
        let key = try vector.key("key")
        let data = try Array(vector.data("associated-data"))
        func open(_ data: [UInt8]) throws -> [UInt8] {
            try Sealing.open(vector.bytes, under: key, associatedData: data, orThrow: .recordDamaged)
        }
        #expect(try open(data) == Array(vector.data("message")))
        #expect(throws: StatusError(.undecodable, .recordDamaged)) { try open(data + [0]) }
        let own = try Sealing.seal(Array(vector.data("message")), under: key, associatedData: data)
        #expect(own.count == vector.bytes.count && own != vector.bytes)
    }

    @Test(arguments: Vector.all(of: "digest"))
    func `BLAKE2b matches the test vectors with and without a key`(vector: Vector) throws {
        let message = try Array(vector.data("message"))
        let digest =
            try vector.text("key") == "none"
            ? Bytes32(digestOf: message) : KeyedDigest(key: vector.key("key")).digest(of: message)
        #expect(digest.bytes == vector.bytes)
    }

    @Test(arguments: Vector.all(of: "passcode-key"))
    func `passcode keys of the test vectors are derived`(vector: Vector) throws {
        let cost = try #require(
            try PasscodeCost(passes: vector.number("passes"), doublings: vector.number("doublings"))
        )
        let salt = try #require(try Bytes16(Array(vector.data("salt"))))
        var passcode = try Array(vector.data("passcode"))
        let derived = try KeyDerivation(salt: salt, cost: cost).derive(from: SecretBytes(moving: &passcode))
        #expect(try vector.keys().passcodeKey(derived).withBytes { Array($0) } == vector.bytes)
    }

    @Test(arguments: Vector.all(of: "sealed-for"))
    func `messages of the test vectors sealed for a recipient are opened`(vector: Vector) throws {
        let key = try AccessControlKey(store: vector.keys().store, key: vector.key("access-key"))
        #expect(try key.recipient == RecipientPublicKey(publicKey: Array(vector.data("recipient"))))
        let data = try Array(vector.data("associated-data"))
        let message = try Array(vector.data("message"))
        #expect(try RecipientPublicKey.open(vector.bytes, under: key, associatedData: data) == message)
        let own = try key.recipient.seal(message, associatedData: data)
        #expect(try RecipientPublicKey.open(own, under: key, associatedData: data) == message)
        #expect(throws: StatusError(.undecodable, .recordDamaged)) {
            try RecipientPublicKey.open(vector.bytes, under: key, associatedData: data + [0])
        }
    }

    /// Compares the outcome of `body` with the vector's expectation: success, or an error reason.
    private func expect(_ vector: Vector, _ body: () throws -> Void) throws {
        if vector.expectation == "success" { return try body() }
        let error = #expect(throws: StatusError.self) { try body() }
        #expect(error?.reason == Reason(rawValue: vector.expectation))
    }
}

extension Vector {
    func key(_ name: String) throws -> SecretKey {
        try #require(try data(name).withUnsafeBytes { SecretKey(copying: $0) })
    }
}
