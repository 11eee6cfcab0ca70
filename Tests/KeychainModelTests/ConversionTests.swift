// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import Testing

@Suite struct ConversionTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let kind: AttributeKind
        let supplied: SuppliedValue
        let stored: AttributeValue?

        init(_ kind: AttributeKind, _ supplied: SuppliedValue, _ stored: AttributeValue?) {
            self.kind = kind
            self.supplied = supplied
            self.stored = stored
        }

        var testDescription: String { "\(kind) ← \(supplied)" }
    }

    static let bytes: [UInt8] = [0xff, 0x00, 0x61]
    static let identifier = Bytes16(Array(1...16)) ?? .zero

    // swift-format-ignore
    static let rows: [Row] = [
        Row(.blob, .string("abc"), .string("abc")),
        Row(.blob, .string(""), .string("")),
        Row(.blob, .data(SecretBuffer(bytes)), .data(bytes)),
        Row(.blob, .number(7), .number(7)),
        Row(.blob, .boolean(true), nil),
        Row(.blob, .date(1), nil),
        Row(.blob, .uuid(identifier), nil),
        Row(.blob, .null, nil),
        Row(.blob, .other, nil),

        Row(.data, .data(SecretBuffer(bytes)), .data(bytes)),
        Row(.data, .string("é"), .data([0xc3, 0xa9])),
        Row(.data, .number(258), .data([2, 1, 0, 0])),
        Row(.data, .number(-1), .data([0xff, 0xff, 0xff, 0xff])),
        Row(.data, .boolean(true), nil),
        Row(.data, .date(1), nil),
        Row(.data, .null, nil),
        Row(.data, .other, nil),

        Row(.number, .number(443), .number(443)),
        Row(.number, .number(.max), .number(.max)),
        Row(.number, .boolean(true), .number(1)),
        Row(.number, .boolean(false), .number(0)),
        Row(.number, .string("42"), .number(42)),
        Row(.number, .string("-42"), .number(-42)),
        Row(.number, .string("-2147483648"), .number(-2_147_483_648)),
        Row(.number, .string("2147483647"), .number(2_147_483_647)),
        Row(.number, .string("2147483648"), .string("2147483648")),
        Row(.number, .string("htps"), .string("htps")),
        Row(.number, .string(""), .string("")),
        Row(.number, .string("042"), .string("042")),
        Row(.number, .string("+42"), .string("+42")),
        Row(.number, .string(" 42"), .string(" 42")),
        Row(.number, .string("-0"), .string("-0")),
        Row(.number, .string("\u{664}\u{662}"), .string("\u{664}\u{662}")),
        Row(.number, .data(SecretBuffer(bytes)), nil),
        Row(.number, .date(1), nil),
        Row(.number, .null, nil),
        Row(.number, .other, nil),

        Row(.date, .date(-1.5), .date(-1.5)),
        Row(.date, .number(1), nil),
        Row(.date, .string("2001-01-01"), nil),
        Row(.date, .data(SecretBuffer(bytes)), nil),
        Row(.date, .boolean(true), nil),
        Row(.date, .null, nil),
        Row(.date, .other, nil),

        Row(.string, .string("group"), .string("group")),
        Row(.string, .data(SecretBuffer(Array("group".utf8))), .string("group")),
        Row(.string, .data(SecretBuffer([])), .string("")),
        Row(.string, .data(SecretBuffer([0xef, 0xbb, 0xbf, 0x61])), .string("\u{feff}a")),
        Row(.string, .data(SecretBuffer(bytes)), nil),
        Row(.string, .uuid(identifier), .string("01020304-0506-0708-090A-0B0C0D0E0F10")),
        Row(.string, .number(1), nil),
        Row(.string, .boolean(true), nil),
        Row(.string, .date(1), nil),
        Row(.string, .null, nil),
        Row(.string, .other, nil),

        Row(.sha1, .data(SecretBuffer(Array(repeating: 1, count: 20))), .data(Array(repeating: 1, count: 20))),
        Row(.sha1, .data(SecretBuffer(Array(repeating: 1, count: 19))), nil),
        Row(.sha1, .data(SecretBuffer(Array(repeating: 1, count: 21))), nil),
        Row(.sha1, .data(SecretBuffer([])), nil),
        Row(.sha1, .string("aaaaaaaaaaaaaaaaaaaa"), nil),
        Row(.sha1, .null, nil),

        Row(.uuid, .data(SecretBuffer([])), .data([])),
        Row(.uuid, .data(SecretBuffer(Array(repeating: 1, count: 16))), .data(Array(repeating: 1, count: 16))),
        Row(.uuid, .data(SecretBuffer(Array(repeating: 1, count: 15))), nil),
        Row(.uuid, .null, .data([])),
        Row(.uuid, .string(""), nil),
        Row(.uuid, .number(0), nil),

        Row(.accessControl, .other, nil),
        Row(.accessControl, .string("ak"), nil),
        Row(.accessControl, .null, nil),
    ]

    @Test(arguments: rows)
    func `a supplied value is converted or rejected according to the attribute type`(row: Row) throws {
        if let stored = row.stored {
            let converted = try row.kind.convert(row.supplied, for: .label)
            #expect(converted == stored)
            #expect(converted.typeCode == stored.typeCode)
        } else {
            #expect(throws: StatusError(.invalidParameter, .wrongValueType, attribute: .label)) {
                try row.kind.convert(row.supplied, for: .label)
            }
        }
    }

    @Test(arguments: AttributeKind.allCases)
    func `a number that is not an integer is errSecDecode`(kind: AttributeKind) {
        #expect(throws: StatusError(.undecodable, .notAnInteger, attribute: .port)) {
            try kind.convert(.fraction, for: .port)
        }
    }

    @Test(arguments: AttributeKind.allCases)
    func `the conversion table has rows for each attribute type`(kind: AttributeKind) {
        #expect(Self.rows.contains { $0.kind == kind && $0.stored == nil })
        #expect(kind == .accessControl || Self.rows.contains { $0.kind == kind && $0.stored != nil })
    }
}
