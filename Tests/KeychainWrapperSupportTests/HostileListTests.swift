// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainWrapperSupport
import Testing

@Suite struct HostileListTests {
    // swift-format-ignore
    static let objects: [(bytes: [[UInt8]], error: KeyedArchiveError)] = [
        // Unknown markers.
        ([[0x01]], .malformed), ([[0x0F]], .malformed), ([[0x15]], .malformed), ([[0x20, 0]], .malformed),
        ([[0x30]], .malformed), ([[0x70]], .malformed), ([[0x88]], .malformed), ([[0x90]], .malformed),
        ([[0xE0]], .malformed), ([[0xF0]], .malformed),
        // Truncated objects.
        ([[0x13, 0, 0]], .malformed), ([[0x23, 0]], .malformed), ([[0x33]], .malformed), ([[0x44, 1, 2]], .malformed),
        ([[0x55, 0x61]], .malformed), ([[0x62, 0, 0x61]], .malformed), ([[0x4F]], .malformed), ([[0x4F, 0x10]], .malformed),
        ([[0xA2, 0]], .malformed), ([[0xD1, 0]], .malformed),
        // Counts that overflow.
        ([[0x4F, 0x13] + Array(repeating: 0xFF, count: 8)], .malformed),
        ([[0x4F, 0x13, 0x7F] + Array(repeating: 0xFF, count: 7)], .malformed),
        ([[0x6F, 0x13, 0x7F] + Array(repeating: 0xFF, count: 7)], .malformed),
        ([[0xAF, 0x13, 0x7F] + Array(repeating: 0xFF, count: 7)], .malformed),
        ([[0xDF, 0x13, 0x40, 0, 0, 0, 0, 0, 0, 0]], .malformed),
        ([[0x4F, 0x14] + Array(repeating: 0, count: 16)], .malformed), ([[0x4F, 0x09]], .malformed),
        // Integers and a UID that are out of range, and dates that are not finite.
        ([[0x14, 1] + Array(repeating: 0, count: 15)], .malformed),
        ([[0x14] + Array(repeating: 0xFF, count: 8) + Array(repeating: 0, count: 8)], .malformed),
        ([[0x84, 1, 0, 0, 0, 0]], .malformed),
        ([[0x33, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0]], .malformed), ([[0x33, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0]], .malformed),
        // Invalid strings.
        ([[0x51, 0x80]], .malformed), ([[0x61, 0xD8, 0x3D]], .malformed), ([[0x61, 0xDD, 0x11]], .malformed),
        // References out of range, and reference cycles.
        ([ListBytes.array(1)], .malformed), ([ListBytes.array(0)], .cycle),
        ([ListBytes.array(1), ListBytes.array(0)], .cycle), ([[0xC1, 0]], .cycle),
        ([[0xD1, 1, 0], ListBytes.text("a")], .cycle), ([[0xD1, 0, 1], ListBytes.text("a")], .cycle),
        // Keys that are not strings, or duplicates.
        ([[0xD1, 1, 1], [0x10, 1]], .malformed),
        ([[0xD2, 1, 1, 1, 1], ListBytes.text("a")], .duplicateKey),
        ([[0xD2, 1, 2, 1, 1], [0x61, 0, 0xE9], [0x62, 0, 0x65, 3, 1]], .duplicateKey),
    ]

    @Test(arguments: objects.indices) func `invalid objects are rejected`(index: Int) {
        let (bytes, error) = Self.objects[index]
        #expect(throws: error) { try PropertyList(binary: ListBytes(objects: bytes).data) }
    }

    @Test(arguments: [PropertyList.null, .uid(1), .set([]), .set([.set([.string("a")]), .set([])])])
    func `values that a property list cannot contain are rejected at any depth`(list: PropertyList) throws {
        for list in [list, .array([list]), .dictionary(["k": list])] {
            #expect(throws: KeyedArchiveError.malformed) {
                try PropertyList(binary: list.binary).foundationValue()
            }
        }
    }

    @Test(arguments: [UInt64.max, 1 << 63, 1 << 62, 1 << 32, 2, 0])
    func `an object count that does not match the offset table is rejected`(count: UInt64) {
        var bytes = ListBytes([0x09])
        bytes.claimedCount = count
        #expect(throws: KeyedArchiveError.malformed) { try PropertyList(binary: bytes.data) }
    }

    @Test(arguments: [UInt64.max, 1 << 63, 1 << 62, 1 << 32, 8, 0, 10])
    func `an offset table outside the file is rejected`(table: UInt64) {
        var bytes = ListBytes([0x09])
        bytes.claimedTable = table
        #expect(throws: KeyedArchiveError.malformed) { try PropertyList(binary: bytes.data) }
    }

    @Test(arguments: [0, 7, 9, 100, 0xFFFF_FFFF])
    func `an offset outside the objects is rejected`(offset: Int) {
        var bytes = ListBytes([0x09])
        bytes.offsets = [offset]
        #expect(throws: KeyedArchiveError.malformed) { try PropertyList(binary: bytes.data) }
    }

    @Test func `every truncated list is rejected`() throws {
        let whole = PropertyListReadingTests.values.map(\.list)
        let data = PropertyList.array(whole.filter { $0.binary.count < 200 }).binary
        for count in 0..<data.count {
            #expect(throws: KeyedArchiveError.self) { try PropertyList(binary: data.prefix(count)) }
        }
    }

    /// Returns nested arrays, each with two references to the next, so that each level doubles the expanded
    /// size.
    static func doubling(_ depth: Int, leaf: [UInt8]) -> Data {
        ListBytes(objects: (1...depth).map { ListBytes.array($0, $0) } + [leaf]).data
    }

    @Test func `exponential growth by shared references is rejected quickly`() throws {
        #expect(throws: KeyedArchiveError.tooLarge) {
            try PropertyList(binary: Self.doubling(60, leaf: [0x09]))
        }
        // 16 levels of arrays, which expand to 65,536 leaves.
        _ = try PropertyList(binary: Self.doubling(16, leaf: [0x09]))
        // The same with a string of 1,000 characters as the leaf, whose size counts for each reference.
        let text: [UInt8] = [0x5F, 0x11, 0x03, 0xE8] + Array(repeating: 0x61, count: 1000)
        #expect(throws: KeyedArchiveError.tooLarge) {
            try PropertyList(binary: Self.doubling(16, leaf: text))
        }
        _ = try PropertyList(binary: Self.doubling(14, leaf: text))
    }

    @Test func `the limits of depth, size and weight are enforced exactly`() throws {
        var limits = ParserLimits()
        let deepest = Self.nested(limits.depth)
        _ = try PropertyList(binary: deepest)
        #expect(throws: KeyedArchiveError.tooDeep) { try PropertyList(binary: Self.nested(limits.depth + 1)) }
        limits.size = deepest.count
        _ = try PropertyList(binary: deepest, limits: limits)
        limits.size -= 1
        #expect(throws: KeyedArchiveError.tooLarge) { try PropertyList(binary: deepest, limits: limits) }
        limits = ParserLimits()
        limits.weight = limits.depth + 1
        _ = try PropertyList(binary: deepest, limits: limits)
        limits.weight -= 1
        #expect(throws: KeyedArchiveError.tooLarge) { try PropertyList(binary: deepest, limits: limits) }
    }

    static func nested(_ depth: Int) -> Data {
        ListBytes(objects: (1...depth).map { ListBytes.array($0) } + [[0x09]]).data
    }
}
