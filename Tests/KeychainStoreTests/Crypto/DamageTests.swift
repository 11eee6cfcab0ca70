// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainTestSupport
import Testing

@testable import KeychainStore

/// Test vectors of the store format that are truncated or have a flipped bit: the error has the correct reason.
@Suite struct DamageTests {
    /// The expected error reasons for a damaged header page, by the offset of the damaged byte.
    static let headerReasons: @Sendable (Int) -> Set<Reason> = { place in
        switch place {
        case 4..<6: [.databaseNewer, .earlierFormat, .headerDamaged]
        case 8..<24: [.deviceKeyForeign]
        case 32..<36: [.databaseNewer]
        default: [.headerDamaged]
        }
    }

    @Test func `a damaged device key is rejected`() throws {
        let good = try Vector.named("device-key").bytes
        // Each damaged key is read from a file, which is slow, so only one bit of each byte is flipped.
        for place in good.indices {
            var file = good
            file[place] ^= 1 << UInt8(place % 8)
            #expect(throws: StatusError(.notAvailable, .deviceKeyDamaged)) { try deviceKey(from: file) }
            #expect(throws: StatusError(.notAvailable, .deviceKeyDamaged)) {
                try deviceKey(from: good.prefix(place))
            }
        }
    }

    @Test func `a damaged header is rejected`() throws {
        let vector = try Vector.named("header")
        let keys = try vector.keys()
        try refuses(vector.bytes, for: Self.headerReasons) {
            var header = try StoreHeader(opening: $0, with: keys)
            _ = try header.bucketSums.all(with: keys)
        }
    }

    @Test func `a damaged keybag is rejected`() throws {
        let vector = try Vector.named("keybag")
        let keys = try vector.keys()
        let digest = Bytes32(digestOf: vector.bytes)
        try refuses(vector.bytes, for: { _ in [.keybagDamaged] }) {
            _ = try Keybag(opening: $0, digest: digest, with: keys)
        }
    }

    /// Each wrapped class key is authenticated separately.
    ///
    /// The damage is detected even if the digest in the header matches the damaged keybag page.
    @Test func `a damaged class key is rejected`() throws {
        let vector = try Vector.named("keybag")
        let keys = try vector.keys()
        // The class keys start at byte 64; the previous test also damages the bytes before them.
        let bits = Sampling.some(300, of: 64 * 8..<vector.bytes.count * 8, for: "bits of class keys")
        for (place, bit) in bits.map({ ($0 / 8, $0 % 8) }) {
            var page = vector.bytes
            page[place] ^= 1 << UInt8(bit)
            let digest = Bytes32(digestOf: page)
            let error = #expect(throws: StatusError.self) {
                let classKeys = KeySession(try Keybag(opening: page, digest: digest, with: keys))
                for rule in ProtectionRule.table where !rule.needsPasscode {
                    _ = try classKeys.classKey(for: rule.protection)
                }
            }
            #expect(
                error?.reason == .keybagDamaged || error?.reason == .classKeyAbsent,
                "byte \(place) bit \(bit)"
            )
        }
    }

    @Test(arguments: ["record", "record-empty-value", "record-no-value"])
    func `a damaged attribute record is rejected`(name: String) throws {
        let vector = try Vector.named(name)
        let keys = try vector.keys()
        let classKeys = try vector.classKeys(keys)
        let row = try vector.row()
        try refuses(vector.bytes, for: { _ in [.recordDamaged] }) { record in
            _ = try ItemSealer(keys: keys).open(
                ItemRow(columns: row.columns, attributes: record, secret: row.secret),
                with: classKeys
            )
        }
    }

    @Test(arguments: ["record", "record-empty-value"])
    func `a damaged value record is rejected`(name: String) throws {
        let vector = try Vector.named(name)
        let keys = try vector.keys()
        let classKeys = try vector.classKeys(keys)
        let sealer = ItemSealer(keys: keys)
        let row = try vector.row()
        let secret = try #require(row.secret)
        try refuses(secret, for: { _ in [.recordDamaged] }) { record in
            let damaged = ItemRow(columns: row.columns, attributes: row.attributes, secret: record)
            _ = try sealer.decryptedValue(of: sealer.open(damaged, with: classKeys))
        }
    }

    /// The columns of a row are not encrypted, but authenticated together with the attributes.
    @Test func `a damaged column is rejected`() throws {
        let vector = try Vector.named("record")
        let keys = try vector.keys()
        let classKeys = try vector.classKeys(keys)
        let row = try vector.row()
        var flipped: [ItemColumns] = []
        for bit in 0..<64 {
            flipped.append(row.columns.with(\.version, row.columns.version ^ 1 << UInt64(bit)))
        }
        for rule in ProtectionRule.table where !rule.needsPasscode {
            flipped.append(row.columns.with(\.protection, rule.protection))
        }
        flipped.append(row.columns.with(\.synchronizable, true))
        flipped.append(row.columns.with(\.tombstone, true))
        for bytes in Self.flips(of: row.columns.digests) {
            flipped.append(row.columns.with(\.digests, bytes))
        }
        for bytes in Self.flips(of: row.columns.item.bytes) {
            flipped.append(row.columns.with(\.item, try #require(Bytes16(bytes))))
        }
        for bytes in Self.flips(of: row.columns.identity.bytes.bytes) {
            // `ItemIdentity` cannot represent an unknown item class, so such a row is already rejected when
            // it is read from the database.
            guard let identity = ItemIdentity(try #require(Bytes32(bytes))) else { continue }
            flipped.append(row.columns.with(\.identity, identity))
        }
        for columns in flipped where columns != row.columns {
            #expect(throws: StatusError(.undecodable, .recordDamaged)) {
                try ItemSealer(keys: keys).open(
                    ItemRow(columns: columns, attributes: row.attributes, secret: row.secret),
                    with: classKeys
                )
            }
        }
    }

    static func flips(of bytes: [UInt8]) -> [[UInt8]] {
        (0..<bytes.count * 8).map { bit in
            var flipped = bytes
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            return flipped
        }
    }

    private func refuses(
        _ good: [UInt8],
        for reasons: (Int) -> Set<Reason>,
        _ open: ([UInt8]) throws -> Void
    ) throws {
        try open(good)
        for count in Sampling.some(100, of: 0..<good.count, for: "truncations of a vector") {
            let error = #expect(throws: StatusError.self) { try open(Array(good.prefix(count))) }
            let reason = try #require(error?.reason)
            #expect(reasons(good.count).contains(reason), "\(count) of \(good.count) bytes: \(reason)")
        }
        let flips = Array(Self.flips(of: good).enumerated())
        for (bit, flipped) in Sampling.some(300, of: flips, for: "flipped bits of a vector") {
            let error = #expect(throws: StatusError.self) { try open(flipped) }
            let reason = try #require(error?.reason)
            #expect(reasons(bit / 8).contains(reason), "bit \(bit): \(reason)")
        }
        #expect(throws: StatusError.self) { try open(good + [0]) }
    }
}

extension ItemColumns {
    func with<Value>(_ path: WritableKeyPath<Self, Value>, _ value: Value) -> Self {
        var columns = self
        columns[keyPath: path] = value
        return columns
    }
}
