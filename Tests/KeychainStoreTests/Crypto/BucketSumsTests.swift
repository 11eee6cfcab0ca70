// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import Testing

@testable import KeychainStore

/// The bucket sums in the header page: a multiset hash for each of 128 groups of rows, encrypted in eight boxes.
///
/// The header contains the tag of each box, so that a box of an earlier header is rejected.
@Suite struct BucketSumsTests {
    let keys: StoreKeys

    init() throws { keys = try Vector.named("header").keys() }

    private static let first = 40
    private static let boxCount = 296
    private static let end = first + 8 * boxCount

    private static func range(of box: Int) -> Range<Int> {
        first + box * boxCount..<first + (box + 1) * boxCount
    }

    /// Returns the header page before and after a change of one sum, which is in box 1.
    ///
    /// It is the sum of bucket 17: the rows whose primary key digest starts with the byte 34 or 35.
    private func pages() throws -> (old: [UInt8], new: [UInt8]) {
        var header = StoreHeader(keybagDigest: .zero)
        let old = header.seal(with: keys)
        try change(Bucket(34), of: &header, to: 1)
        return (old, header.seal(with: keys))
    }

    private func change(_ bucket: Bucket, of header: inout StoreHeader, to byte: UInt8) throws {
        let sum = MultisetHash(try #require(Bytes16([byte] + [UInt8](repeating: 0, count: 15))))
        try header.bucketSums.change(bucket, with: keys) { $0 = sum }
    }

    private func isRejected(_ page: [UInt8]) -> Bool {
        let error = #expect(throws: StatusError.self) { try StoreHeader(opening: page, with: keys) }
        return error == StatusError(.undecodable, .headerDamaged)
    }

    @Test func `changing a sum seals only its box and the header's box again`() throws {
        let (old, new) = try pages()
        #expect(old.count == new.count && old.count == Self.end + 40 + 112 + 8 * 16)
        #expect(old[..<Self.first] == new[..<Self.first])
        #expect(old[Self.end...] != new[Self.end...])
        for box in 0..<8 {
            #expect((old[Self.range(of: box)] == new[Self.range(of: box)]) == (box != 1), "box \(box)")
        }
    }

    @Test func `sums of an opened header can be changed box by box`() throws {
        var header = StoreHeader(keybagDigest: .zero)
        var page = header.seal(with: keys)
        for number: UInt8 in [0, 34, 35, 255, 34] {
            var opened = try StoreHeader(opening: page, with: keys)
            try change(Bucket(number), of: &opened, to: number)
            try change(Bucket(number), of: &header, to: number)
            page = opened.seal(with: keys)
        }
        var opened = try StoreHeader(opening: page, with: keys)
        #expect(try opened.bucketSums.all(with: keys) == header.bucketSums.all(with: keys))
    }

    @Test(arguments: 0..<8)
    func `a box of an earlier header is rejected`(box: Int) throws {
        var header = StoreHeader(keybagDigest: .zero)
        var page = header.seal(with: keys)
        let earlier = page[Self.range(of: box)]
        try change(Bucket(UInt8(box * 32)), of: &header, to: 1)
        page = header.seal(with: keys)
        page.replaceSubrange(Self.range(of: box), with: earlier)
        #expect(isRejected(page))
    }

    @Test func `a newer box in an earlier header is rejected`() throws {
        var (old, new) = try pages()
        old.replaceSubrange(Self.range(of: 1), with: new[Self.range(of: 1)])
        #expect(isRejected(old))
        new.replaceSubrange(Self.end..., with: old[Self.end...])
        #expect(isRejected(new))
    }

    @Test func `swapped boxes are rejected`() throws {
        let page = try pages().new
        for box in 1..<8 {
            var swapped = page
            swapped.replaceSubrange(Self.range(of: 0), with: page[Self.range(of: box)])
            swapped.replaceSubrange(Self.range(of: box), with: page[Self.range(of: 0)])
            #expect(isRejected(swapped))
        }
    }

    @Test func `a missing or repeated box is rejected`() throws {
        let page = try pages().new
        for box in 0..<8 {
            var missing = page
            missing.removeSubrange(Self.range(of: box))
            #expect(isRejected(missing))
            var repeated = page
            repeated.insert(contentsOf: page[Self.range(of: box)], at: Self.range(of: box).lowerBound)
            #expect(isRejected(repeated))
        }
    }

    /// The header authenticates only the tags of the boxes, so a box with other bytes is rejected when it is opened.
    @Test func `an earlier box with the tag of the current one is rejected when a sum is needed`() throws {
        let (old, new) = try pages()
        var page = new
        page.replaceSubrange(Self.range(of: 1).dropLast(16), with: old[Self.range(of: 1).dropLast(16)])
        var header = try StoreHeader(opening: page, with: keys)
        #expect(throws: StatusError(.undecodable, .headerDamaged)) {
            try header.bucketSums.sum(of: Bucket(34), with: keys)
        }
        #expect(throws: StatusError(.undecodable, .headerDamaged)) {
            try header.bucketSums.change(Bucket(63), with: keys) { $0 = .zero }
        }
        #expect(throws: StatusError(.undecodable, .headerDamaged)) { try header.bucketSums.all(with: keys) }
        #expect(try header.bucketSums.sum(of: Bucket(64), with: keys) == .zero)
    }
}
