// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import Testing

@Suite struct CanonicalBytesTests {
    static let composed = "\u{e9}"
    static let decomposed = "e\u{301}"

    static let encodings: [(AttributeValue, UInt8, [UInt8])] = [
        (AttributeValue.string("aé"), 1, [0x61, 0xc3, 0xa9]),
        (.string(""), 1, []),
        (.data([9, 0]), 2, [9, 0]),
        (.number(1), 3, [1, 0, 0, 0]),
        (.number(-2), 3, [0xfe, 0xff, 0xff, 0xff]),
        (.number(Int64(Int32.max)), 3, [0xff, 0xff, 0xff, 0x7f]),
        (.number(Int64(Int32.min)), 3, [0, 0, 0, 0x80]),
        (.number(Int64(Int32.max) + 1), 3, [0, 0, 0, 0x80, 0, 0, 0, 0]),
        (.number(.min), 3, [0, 0, 0, 0, 0, 0, 0, 0x80]),
        (.date(1), 4, [0, 0, 0, 0, 0, 0, 0xf0, 0x3f]),
        (.date(-0.0), 4, [0, 0, 0, 0, 0, 0, 0, 0x80]),
    ]

    @Test(
        arguments: encodings
    )
    func `a value has stable canonical bytes and is decoded from them`(
        value: AttributeValue,
        code: UInt8,
        bytes: [UInt8]
    ) {
        #expect(value.typeCode == code)
        #expect(value.canonicalBytes == bytes)
        let again = bytes.withUnsafeBytes { AttributeValue(typeCode: code, canonicalBytes: $0) }
        #expect(again == value)
    }

    static let misfits: [(Int, Int)] = [
        (0, 4), (3, 0), (3, 3), (3, 5), (3, 9), (4, 4), (4, 7), (4, 9), (5, 8), (255, 0),
    ]

    @Test(arguments: misfits)
    func `bytes that do not match the type code are rejected`(code: Int, count: Int) {
        let bytes = [UInt8](repeating: 0, count: count)
        #expect(bytes.withUnsafeBytes { AttributeValue(typeCode: UInt8(code), canonicalBytes: $0) } == nil)
    }

    @Test func `strings are compared byte for byte`() {
        #expect(Self.composed == Self.decomposed)
        #expect(AttributeValue.string(Self.composed) != .string(Self.decomposed))
        #expect(!AttributeKind.blob.equal(.string(Self.composed), .string(Self.decomposed)))
        #expect(!AttributeKind.blob.equal(.string("a"), .string("A")))
        #expect(Set([AttributeValue.string(Self.composed), .string(Self.decomposed)]).count == 2)
    }

    static let comparisons: [(AttributeKind, AttributeValue, AttributeValue, Bool)] = [
        (AttributeKind.blob, AttributeValue.string("abc"), AttributeValue.data(Array("abc".utf8)), true),
        (.blob, .number(1), .data([1, 0, 0, 0]), true),
        (.blob, .number(1), .string("1"), false),
        (.blob, .string(""), .data([]), true),
        (.blob, .string("abc"), .string("abcd"), false),
        (.data, .data(Array("abc".utf8)), .string("abc"), false),
        (.number, .number(443), .string("443"), false),
        (.number, .number(443), .number(443), true),
        (.string, .string("abc"), .data(Array("abc".utf8)), false),
        (.date, .date(0), .date(-0.0), false),
        (.date, .date(0.5), .date(0.5), true),
    ]

    @Test(arguments: comparisons)
    func `values are compared by the rules of their attribute type`(
        kind: AttributeKind,
        left: AttributeValue,
        right: AttributeValue,
        equal: Bool
    ) {
        #expect(kind.equal(left, right) == equal)
        #expect(kind.equal(right, left) == equal)
    }
}
