// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainTestSupport
import Testing

@testable import KeychainStore

extension SeededGenerator {
    mutating func bytes(_ count: Int) -> [UInt8] {
        Array((0..<count).map { _ in UInt8.random(in: 0...255, using: &self) })
    }
}

@Suite struct MultisetHashTests {
    static func sum(_ data: [UInt8]) throws -> MultisetHash { MultisetHash(try #require(Bytes16(data))) }

    @Test(arguments: 0..<20)
    func `adding and removing rows in any order restores the sum`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let terms = try (0..<50).map { _ in try Self.sum(generator.bytes(16)) }
        var forward = MultisetHash.zero
        for term in terms { forward += term }
        var shuffled = MultisetHash.zero
        for term in terms.shuffled(using: &generator) { shuffled += term }
        #expect(forward == shuffled)
        #expect(forward != .zero)
        for term in terms.shuffled(using: &generator) { forward -= term }
        #expect(forward == .zero)
    }

    @Test func `the sum carries across bytes and wraps around`() throws {
        let ones = try Self.sum([UInt8](repeating: 0xff, count: 16))
        let one = try Self.sum([UInt8]([1]) + [UInt8](repeating: 0, count: 15))
        var sum = ones
        sum += one
        #expect(sum == .zero)
        sum -= one
        #expect(sum == ones)
        for count in 1..<16 {
            let below = [UInt8](repeating: 0xff, count: count) + [UInt8](repeating: 0, count: 16 - count)
            var sum = try Self.sum(below)
            sum += one
            var expected = [UInt8](repeating: 0, count: 16)
            expected[count] = 1
            #expect(sum.bytes.bytes == expected)
            sum -= one
            #expect(sum.bytes.bytes == below)
        }
        var full = ones
        full += ones
        #expect(full.bytes.bytes == [UInt8]([0xfe]) + [UInt8](repeating: 0xff, count: 15))
    }

    @Test func `adding a row twice changes the sum`() throws {
        var generator = SeededGenerator(seed: 1)
        let term = try Self.sum(generator.bytes(16))
        var sum = MultisetHash.zero
        sum += term
        sum += term
        #expect(sum != .zero)
        #expect(sum != term)
    }

    @Test func `the header has a sum for each bucket`() throws {
        var generator = SeededGenerator(seed: 2)
        let keys = try Vector.named("header").keys()
        var header = StoreHeader(keybagDigest: .zero)
        var sums: [Bucket: MultisetHash] = [:]
        for bucket in Bucket.all {
            sums[bucket] = try Self.sum(generator.bytes(16))
            let sum = try #require(sums[bucket])
            try header.bucketSums.change(bucket, with: keys) { $0 = sum }
        }
        var opened = try StoreHeader(opening: header.seal(with: keys), with: keys)
        #expect(opened.content == header.content)
        for bucket in Bucket.all {
            #expect(try opened.bucketSums.sum(of: bucket, with: keys) == sums[bucket])
        }
        #expect(sums.count == 128)
    }

    @Test func `each first digest byte belongs to one bucket`() {
        for byte in UInt8.min...UInt8.max {
            #expect(Bucket.all.filter { $0.digestBytes.contains(byte) } == [Bucket(byte)])
        }
    }

    @Test func `the hash of a row depends on each of its parts`() throws {
        let vector = try Vector.named("record")
        let keys = try vector.keys()
        let row = try vector.row()
        let whole = keys.rowHash(of: row)
        var hashes: Set<MultisetHash> = [whole]
        for columns in [
            row.columns.with(\.item, .zero), row.columns.with(\.version, 6),
            row.columns.with(\.tombstone, true),
            row.columns.with(\.identity, ItemIdentity(.genericPassword, in: .zero, digest: .zero)),
            row.columns.with(\.digests, []), row.columns.with(\.synchronizable, true),
            row.columns.with(\.protection, .always),
        ] {
            hashes.insert(
                keys.rowHash(of: ItemRow(columns: columns, attributes: row.attributes, secret: nil))
            )
        }
        hashes.insert(keys.rowHash(of: ItemRow(columns: row.columns, attributes: [], secret: nil)))
        #expect(hashes.count == 9)
        #expect(
            keys.rowHash(of: ItemRow(columns: row.columns, attributes: row.attributes, secret: nil)) == whole
        )
    }
}
