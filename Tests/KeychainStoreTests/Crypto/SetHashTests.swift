// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainTestSupport
import Testing

@testable import KeychainStore

extension SeededGenerator {
    mutating func bytes(_ count: Int) -> Data {
        Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &self) })
    }
}

@Suite struct SetHashTests {
    static func sum(_ data: Data) throws -> SetSum { SetSum(try #require(Bytes32(data))) }

    @Test(arguments: 0..<20)
    func `what is added and taken away again leaves the sum, in any order`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let terms = try (0..<50).map { _ in try Self.sum(generator.bytes(32)) }
        var forward = SetSum.zero
        for term in terms { forward += term }
        var shuffled = SetSum.zero
        for term in terms.shuffled(using: &generator) { shuffled += term }
        #expect(forward == shuffled)
        #expect(forward != .zero)
        for term in terms.shuffled(using: &generator) { forward -= term }
        #expect(forward == .zero)
    }

    @Test func `a sum carries through every byte and wraps around`() throws {
        let ones = try Self.sum(Data(repeating: 0xff, count: 32))
        let one = try Self.sum(Data([1]) + Data(count: 31))
        var sum = ones
        sum += one
        #expect(sum == .zero)
        sum -= one
        #expect(sum == ones)
        for limb in 1..<4 {
            var below = try Self.sum(Data(repeating: 0xff, count: limb * 8) + Data(count: 32 - limb * 8))
            below += one
            var expected = Data(count: 32)
            expected[limb * 8] = 1
            #expect(Data(below.bytes) == expected)
            below -= one
            #expect(Data(below.bytes) == Data(repeating: 0xff, count: limb * 8) + Data(count: 32 - limb * 8))
        }
        // A carry into a limb that is full already.
        var full = ones
        full += ones
        #expect(Data(full.bytes) == Data([0xfe]) + Data(repeating: 0xff, count: 31))
    }

    @Test func `the same row twice is not no row`() throws {
        var generator = SeededGenerator(seed: 1)
        let term = try Self.sum(generator.bytes(32))
        var sum = SetSum.zero
        sum += term
        sum += term
        #expect(sum != .zero)
        #expect(sum != term)
    }

    @Test func `every page holds its sixteen buckets and comes back from its box`() throws {
        var generator = SeededGenerator(seed: 2)
        let keys = try Vector.named("header").keys()
        var pages = Array(repeating: BucketPage(), count: BucketPage.count)
        var sums: [SetSum] = []
        for bucket in UInt8.min...UInt8.max {
            let sum = try Self.sum(generator.bytes(32))
            sums.append(sum)
            pages[BucketPage.number(of: bucket)][bucket] = sum
        }
        for number in 0..<BucketPage.count {
            let box = pages[number].sealed(as: number, with: keys)
            #expect(try BucketPage(opening: box, as: number, with: keys) == pages[number])
        }
        for bucket in UInt8.min...UInt8.max {
            #expect(pages[BucketPage.number(of: bucket)][bucket] == sums[Int(bucket)])
        }
    }

    @Test func `a row's hash changes with each of its parts`() throws {
        let vector = try Vector.named("record")
        let keys = try vector.keys()
        let row = try vector.row()
        let whole = keys.setHash(of: row)
        var hashes: Set<SetSum> = [whole]
        for columns in [
            row.columns.with(\.item, .zero), row.columns.with(\.version, 6),
            row.columns.with(\.tombstone, true),
            row.columns.with(\.identity, .zero), row.columns.with(\.digests, []),
            row.columns.with(\.accessGroup, .zero), row.columns.with(\.protection, .always),
        ] {
            hashes.insert(
                keys.setHash(of: ItemRow(columns: columns, attributes: row.attributes, secret: nil))
            )
        }
        hashes.insert(keys.setHash(of: ItemRow(columns: row.columns, attributes: [], secret: nil)))
        #expect(hashes.count == 9)
        #expect(
            keys.setHash(of: ItemRow(columns: row.columns, attributes: row.attributes, secret: nil)) == whole
        )
    }
}
