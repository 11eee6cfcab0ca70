// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainWrapperSupport
import Testing

/// Reading binary property lists that Foundation or this test wrote.
@Suite struct PropertyListReadingTests {
    // swift-format-ignore
    nonisolated(unsafe) static let values: [(value: Any, list: PropertyList)] = [
        ("", .string("")), ("text", .string("text")), ("\u{00E9}\u{1F511}", .string("\u{00E9}\u{1F511}")),
        (String(repeating: "long ", count: 100_000), .string(String(repeating: "long ", count: 100_000))),
        (true, .boolean(true)), (false, .boolean(false)),
        (0, .integer(0)), (1, .integer(1)), (255, .integer(255)), (65_536, .integer(65_536)),
        (Int64.max, .integer(.max)), (-1, .integer(-1)), (Int64.min, .integer(.min)),
        (UInt64.max, .unsigned(.max)),
        (0.5, .real(0.5)), (Float(0.25), .real(0.25)), (-1e300, .real(-1e300)), (Double.infinity, .real(.infinity)),
        (Date(timeIntervalSinceReferenceDate: -1.5), .date(-1.5)),
        (Data(), .data(Data())), (Data([0, 1, 0xFF]), .data(Data([0, 1, 0xFF]))),
        (Data(repeating: 7, count: 70_000), .data(Data(repeating: 7, count: 70_000))),
        ([Any](), .array([])), ([1, "a"] as [Any], .array([.integer(1), .string("a")])),
        (Array(repeating: "same", count: 300), .array(Array(repeating: .string("same"), count: 300))),
        ((0..<300).map { $0 }, .array((0..<300).map { .integer($0) })),
        ([String: Any](), .dictionary([:])),
        (["a": ["b": [Data([1])]], "\u{00DC}": 2] as [String: Any],
            .dictionary(["a": .dictionary(["b": .array([.data(Data([1]))])]), "\u{00DC}": .integer(2)])),
    ]

    @Test(arguments: values.indices)
    func `lists from Foundation are read, and written lists are read by Foundation`(index: Int) throws {
        let (value, list) = Self.values[index]
        let data = try PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0)
        #expect(try PropertyList(binary: data) == list)
        #expect(try PropertyList(foundation: value, strippingNull: false) == list)
        let back = try PropertyListSerialization.propertyList(from: list.binary, format: nil)
        #expect(try PropertyList(foundation: back, strippingNull: false) == list)
        #expect(try PropertyList(binary: list.binary) == list)
        #expect(try PropertyList(foundation: list.foundationValue(), strippingNull: false) == list)
    }

    // swift-format-ignore
    static let objects: [(bytes: [UInt8], list: PropertyList)] = [
        ([0x00], .null), ([0x08], .boolean(false)), ([0x09], .boolean(true)),
        ([0x10, 0xFF], .integer(255)), ([0x11, 0xFF, 0xFF], .integer(65_535)),
        ([0x12, 0xFF, 0xFF, 0xFF, 0xFF], .integer(4_294_967_295)),
        ([0x13] + Array(repeating: 0xFF, count: 8), .integer(-1)),
        ([0x14] + Array(repeating: 0xFF, count: 16), .integer(-1)),
        ([0x14] + Array(repeating: 0, count: 15) + [5], .integer(5)),
        ([0x14] + Array(repeating: 0, count: 8) + Array(repeating: 0xFF, count: 8), .unsigned(.max)),
        ([0x22, 0x3F, 0x80, 0, 0], .real(1)), ([0x23, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0], .real(1)),
        ([0x33, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0], .date(1)),
        ([0x42, 1, 2], .data(Data([1, 2]))), ([0x4F, 0x10, 1, 9], .data(Data([9]))),
        ([0x5F, 0x11, 0, 1, 0x61], .string("a")),
        ([0x62, 0xD8, 0x3D, 0xDD, 0x11], .string("\u{1F511}")),
        ([0x80, 5], .uid(5)), ([0x81, 1, 0], .uid(256)), ([0x83, 1, 0, 0, 0], .uid(1 << 24)),
        ([0x87, 0, 0, 0, 0, 0, 0, 0, 9], .uid(9)),
        ([0xA0], .array([])), ([0xB0], .set([])), ([0xC0], .set([])), ([0xD0], .dictionary([:])),
    ]

    @Test(arguments: objects.indices) func `each type of object is read`(index: Int) throws {
        #expect(
            try PropertyList(binary: ListBytes(Self.objects[index].bytes).data) == Self.objects[index].list
        )
    }

    @Test(arguments: 1...8) func `references may have any width`(width: Int) throws {
        var bytes = ListBytes(
            [0xA2] + ListBytes.number(1, width: width) + ListBytes.number(2, width: width),
            ListBytes.text("a"),
            ListBytes.text("b")
        )
        bytes.referenceWidth = width
        #expect(try PropertyList(binary: bytes.data) == .array([.string("a"), .string("b")]))
    }

    @Test func `canonically equivalent strings stay different`() throws {
        let composed = PropertyList.string("\u{00E9}")
        let list = PropertyList.array([composed, .string("e\u{0301}")])
        let values = try PropertyList(binary: list.binary).foundationValue() as? [String]
        #expect(values?.map { Array($0.utf8) } == [[0xC3, 0xA9], [0x65, 0xCC, 0x81]])
    }

    @Test(arguments: [
        "<?xml version=\"1.0\"?><plist><true/></plist>", "{ a = b; }", "bplistfoo", "bplist00", "",
    ])
    func `other formats are not binary property lists`(text: String) {
        #expect(throws: KeyedArchiveError.malformed) { try PropertyList(binary: Data(text.utf8)) }
    }
}
