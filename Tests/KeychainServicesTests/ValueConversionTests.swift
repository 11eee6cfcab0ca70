// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

/// A supplied attribute value, and the value or status that the keychain returns.
struct ConversionRow: Sendable, CustomTestStringConvertible {
    enum Outcome: Sendable {
        case string(String)
        case data(Data)
        case number(Int64)
        case date(Double)
        case refused(OSStatus)

        func equals(_ object: Any?) -> Bool {
            switch self {
            case .string(let text): (object as? String).map { Array($0.utf8) == Array(text.utf8) } ?? false
            case .data(let data): object as? Data == data
            case .number(let number): (object as? NSNumber)?.int64Value == number
            case .date(let seconds): (object as? Date)?.timeIntervalSinceReferenceDate == seconds
            case .refused: false
            }
        }
    }

    let attribute: String
    let value: @Sendable () -> Any
    let outcome: Outcome

    init(_ attribute: CFString, _ value: @autoclosure @escaping @Sendable () -> Any, _ outcome: Outcome) {
        self.attribute = String(attribute)
        self.value = value
        self.outcome = outcome
    }

    var testDescription: String { "\(attribute) \(type(of: value())) becomes \(outcome)" }

    // swift-format-ignore
    static let table: [Self] = [
        // Attributes that keep data, strings and numbers in the supplied type.
        .init(kSecAttrLabel,        "canary",                      .string("canary")),
        .init(kSecAttrLabel,        "",                            .string("")),
        .init(kSecAttrLabel,        Data("canary".utf8),           .data(Data("canary".utf8))),
        .init(kSecAttrLabel,        Data(),                        .data(Data())),
        .init(kSecAttrLabel,        NSMutableString("canary"),     .string("canary")),
        .init(kSecAttrLabel,        NSMutableData(),               .data(Data())),
        .init(kSecAttrLabel,        42,                            .number(42)),
        .init(kSecAttrLabel,        UInt8(1),                      .number(1)),
        .init(kSecAttrLabel,        Int8(80),                      .number(80)),
        .init(kSecAttrLabel,        NSNumber(value: Int8(-80)),    .number(-80)),
        .init(kSecAttrLabel,        Int64.max,                     .number(.max)),
        .init(kSecAttrLabel,        Int64.min,                     .number(.min)),
        .init(kSecAttrLabel,        2.0,                           .number(2)),
        .init(kSecAttrLabel,        UInt64.max,                    .refused(errSecParam)),
        .init(kSecAttrLabel,        true,                          .refused(errSecParam)),
        .init(kSecAttrLabel,        NSNumber(value: true),         .refused(errSecParam)),
        .init(kSecAttrLabel,        Date(),                        .refused(errSecParam)),
        .init(kSecAttrLabel,        NSNull(),                      .refused(errSecParam)),
        .init(kSecAttrLabel,        ["x"],                         .refused(errSecParam)),
        .init(kSecAttrLabel,        ["x": "y"],                    .refused(errSecParam)),
        .init(kSecAttrLabel,        UUID(),                        .refused(errSecParam)),
        .init(kSecAttrLabel,        URL(filePath: "/"),            .refused(errSecParam)),
        .init(kSecAttrLabel,        NSObject(),                    .refused(errSecParam)),
        .init(kSecAttrLabel,        0.5,                           .refused(errSecDecode)),
        .init(kSecAttrLabel,        Double.nan,                    .refused(errSecDecode)),
        .init(kSecAttrLabel,        Double.infinity,               .refused(errSecDecode)),
        .init(kSecAttrGeneric,      Data([0, 255]),                .data(Data([0, 255]))),
        .init(kSecAttrComment,      "Ångström",                    .string("Ångström")),
        .init(kSecAttrComment,      "A\u{30A}",                    .string("A\u{30A}")),
        .init(kSecAttrComment,      "a\0b",                        .string("a\0b")),
        // Number attributes: the decimal form of a 32-bit number becomes a number, other strings stay strings.
        .init(kSecAttrType,         42,                            .number(42)),
        .init(kSecAttrType,         -1,                            .number(-1)),
        .init(kSecAttrType,         true,                          .number(1)),
        .init(kSecAttrType,         kCFBooleanFalse!,              .number(0)),
        .init(kSecAttrType,         "42",                          .number(42)),
        .init(kSecAttrType,         "-7",                          .number(-7)),
        .init(kSecAttrType,         "042",                         .string("042")),
        .init(kSecAttrType,         "+42",                         .string("+42")),
        .init(kSecAttrType,         "2147483647",                  .number(2_147_483_647)),
        .init(kSecAttrType,         "2147483648",                  .string("2147483648")),
        .init(kSecAttrType,         "htps",                        .string("htps")),
        .init(kSecAttrType,         "",                            .string("")),
        .init(kSecAttrType,         Data(),                        .refused(errSecParam)),
        .init(kSecAttrType,         Date(),                        .refused(errSecParam)),
        .init(kSecAttrType,         NSNull(),                      .refused(errSecParam)),
        .init(kSecAttrIsInvisible,  true,                          .number(1)),
        .init(kSecAttrIsNegative,   kCFBooleanTrue!,               .number(1)),
        // String attributes: UTF-8 data becomes a string.
        .init(kSecAttrSyncViewHint, "canary",                      .string("canary")),
        .init(kSecAttrSyncViewHint, Data("canary".utf8),           .string("canary")),
        .init(kSecAttrSyncViewHint, Data([0xFF]),                  .refused(errSecParam)),
        .init(kSecAttrSyncViewHint, 1,                             .refused(errSecParam)),
        .init(kSecAttrSyncViewHint, NSNull(),                      .refused(errSecParam)),
        .init(kSecAttrAccessible,   kSecAttrAccessibleAfterFirstUnlock, .string("ck")),
        .init(kSecAttrAccessible,   Data("ck".utf8),               .string("ck")),
        .init(kSecAttrAccessible,   1,                             .refused(errSecParam)),
        .init(kSecAttrAccessible,   "f",                           .refused(errSecParam)),
        // Attributes that accept only certain values.
        .init(kSecAttrMultiUser,    Data(count: 5),                .refused(errSecParam)),
        .init(kSecAttrMultiUser,    "x",                           .refused(errSecParam)),
        .init(kSecAttrSHA1,         Data(count: 19),               .refused(errSecParam)),
        .init(kSecAttrSHA1,         "x",                           .refused(errSecParam)),
        .init(kSecAttrCreationDate, 1,                             .refused(errSecParam)),
        .init(kSecAttrCreationDate, "now",                         .refused(errSecParam)),
        .init(kSecAttrSynchronizable, "x",                         .refused(errSecParam)),
        .init(kSecAttrSynchronizable, NSNull(),                    .refused(errSecParam)),
        .init(kSecAttrSynchronizable, kSecAttrSynchronizableAny,   .number(0)),
        .init(kSecAttrSynchronizable, "0",                         .number(0)),
    ]
}

@Suite(.searchedKeychain) struct ValueConversionTests {
    private let stored = StoredPassword()

    @Test(arguments: ConversionRow.table)
    func `a supplied value is returned in converted form`(row: ConversionRow) {
        let status = stored.add([row.attribute: row.value()])
        if case .refused(let expected) = row.outcome {
            #expect(status == expected)
            #expect(find(stored.query).status == errSecItemNotFound)
            return
        }
        #expect(status == errSecSuccess)
        let found = find(stored.query.adding([kSecReturnAttributes as String: true]))
        #expect(row.outcome.equals((found.result as? [String: Any])?[row.attribute]))
    }

    @Test(arguments: ConversionRow.table)
    func `an update converts values like an addition`(row: ConversionRow) {
        #expect(stored.add() == errSecSuccess)
        let status = SecItemUpdate(stored.query as CFDictionary, [row.attribute: row.value()] as CFDictionary)
        if case .refused(let expected) = row.outcome {
            #expect(status == expected)
        } else {
            #expect(status == errSecSuccess)
        }
    }

    @Test func `only an update can set the creation date, and none can set the modification date`() {
        let past = Date(timeIntervalSinceReferenceDate: 1)
        #expect(stored.add([kSecAttrCreationDate as String: past]) == errSecSuccess)
        let query = stored.query.adding([kSecReturnAttributes as String: true])
        #expect((find(query).result as? [String: Any])?["cdat"] as? Date != past)
        let values = [kSecAttrCreationDate: past, kSecAttrModificationDate: past] as CFDictionary
        #expect(SecItemUpdate(stored.query as CFDictionary, values) == errSecSuccess)
        let attributes = find(query).result as? [String: Any]
        #expect(attributes?["cdat"] as? Date == past)
        #expect(attributes?["mdat"] as? Date != past)
    }

    @Test func `a string and data with the same bytes are the same account`() {
        let data = Data(stored.account.utf8)
        #expect(stored.add([kSecAttrAccount as String: data]) == errSecSuccess)
        #expect(stored.add() == errSecDuplicateItem)
        let found = find(stored.query.adding([kSecReturnAttributes as String: true]))
        #expect((found.result as? [String: Any])?["acct"] as? Data == data)
    }

    @Test func `a number and its decimal string are different accounts`() {
        let number = stored.query.adding([kSecAttrAccount as String: 1])
        #expect(SecItemAdd(number as CFDictionary, nil) == errSecSuccess)
        #expect(find(stored.query.adding([kSecAttrAccount as String: "1"])).status == errSecItemNotFound)
        #expect(find(number).status == errSecSuccess)
    }

    @Test func `canonically equivalent strings with different bytes are different accounts`() {
        let composed = stored.query.adding([kSecAttrAccount as String: "canary-\u{E5}"])
        let decomposed = stored.query.adding([kSecAttrAccount as String: "canary-a\u{30A}"])
        #expect(SecItemAdd(composed as CFDictionary, nil) == errSecSuccess)
        #expect(find(decomposed).status == errSecItemNotFound)
        #expect(SecItemAdd(decomposed as CFDictionary, nil) == errSecSuccess)
    }
}
