// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

/// A value for an attribute of one item class, and the value or status that the keychain returns for it.
struct ClassConversionRow: Sendable, CustomTestStringConvertible {
    let itemClass: String
    let row: ConversionRow

    init(
        _ itemClass: CFString,
        _ attribute: CFString,
        _ value: @autoclosure @escaping @Sendable () -> Any,
        _ outcome: ConversionRow.Outcome
    ) {
        self.itemClass = String(itemClass)
        row = ConversionRow(attribute, value(), outcome)
    }

    var testDescription: String { "\(itemClass) \(row.testDescription)" }

    private static let bytes = Data([0xFF, 0x00, 0x61])

    // swift-format-ignore
    static let table: [Self] = [
        .init(kSecClassGenericPassword,  kSecAttrCreator,             "aapl",           .string("aapl")),
        .init(kSecClassGenericPassword,  kSecAttrScriptCode,          -1,               .number(-1)),
        .init(kSecClassGenericPassword,  kSecAttrHasCustomIcon,       true,             .number(1)),
        .init(kSecClassGenericPassword,  kSecAttrAlias,               bytes,            .data(bytes)),
        .init(kSecClassGenericPassword,  kSecAttrDataProtected,       "canary",         .string("canary")),
        .init(kSecClassInternetPassword, kSecAttrServer,              "canary",         .string("canary")),
        .init(kSecClassInternetPassword, kSecAttrServer,              true,             .refused(errSecParam)),
        .init(kSecClassInternetPassword, kSecAttrSecurityDomain,      bytes,            .data(bytes)),
        .init(kSecClassInternetPassword, kSecAttrPath,                5,                .number(5)),
        .init(kSecClassInternetPassword, kSecAttrAuthenticationType,  kSecAttrAuthenticationTypeHTTPBasic, .string("http")),
        .init(kSecClassInternetPassword, kSecAttrAuthenticationType,  Date(),           .refused(errSecParam)),
        .init(kSecClassInternetPassword, kSecAttrProtocol,            kSecAttrProtocolHTTPS, .string("htps")),
        .init(kSecClassInternetPassword, kSecAttrProtocol,            "80",             .number(80)),
        .init(kSecClassInternetPassword, kSecAttrProtocol,            bytes,            .refused(errSecParam)),
        .init(kSecClassInternetPassword, kSecAttrPort,                443,              .number(443)),
        .init(kSecClassInternetPassword, kSecAttrPort,                "443",            .number(443)),
        .init(kSecClassInternetPassword, kSecAttrPort,                "x443",           .string("x443")),
        .init(kSecClassInternetPassword, kSecAttrPort,                "",               .string("")),
        .init(kSecClassInternetPassword, kSecAttrPort,                NSNull(),         .refused(errSecParam)),
        .init(kSecClassCertificate,      kSecAttrSubject,             bytes,            .data(bytes)),
        .init(kSecClassCertificate,      kSecAttrSubject,             "é",              .data(Data([0xC3, 0xA9]))),
        .init(kSecClassCertificate,      kSecAttrSubject,             258,              .data(Data([2, 1, 0, 0]))),
        .init(kSecClassCertificate,      kSecAttrSubject,             true,             .refused(errSecParam)),
        .init(kSecClassCertificate,      kSecAttrIssuer,              bytes,            .data(bytes)),
        .init(kSecClassCertificate,      kSecAttrIssuer,              "x",              .refused(errSecParam)),
        .init(kSecClassCertificate,      kSecAttrIssuer,              1,                .refused(errSecParam)),
        .init(kSecClassCertificate,      kSecAttrSerialNumber,        1,                .data(Data([1, 0, 0, 0]))),
        .init(kSecClassCertificate,      kSecAttrSerialNumber,        Date(),           .refused(errSecParam)),
        .init(kSecClassCertificate,      kSecAttrSubjectKeyID,        Data(),           .data(Data())),
        .init(kSecClassCertificate,      kSecAttrPublicKeyHash,       "",               .data(Data())),
        .init(kSecClassCertificate,      kSecAttrPublicKeyHash,       NSNull(),         .refused(errSecParam)),
        .init(kSecClassCertificate,      kSecAttrCertificateType,     "3",              .number(3)),
        .init(kSecClassCertificate,      kSecAttrCertificateType,     bytes,            .refused(errSecParam)),
        .init(kSecClassCertificate,      kSecAttrCertificateEncoding, true,             .number(1)),
        .init(kSecClassCertificate,      kSecAttrLabel,               7,                .number(7)),
        .init(kSecClassKey,              kSecAttrApplicationLabel,    "canary",         .data(Data("canary".utf8))),
        .init(kSecClassKey,              kSecAttrApplicationLabel,    -1,               .data(Data(repeating: 0xFF, count: 4))),
        .init(kSecClassKey,              kSecAttrApplicationLabel,    Date(),           .refused(errSecParam)),
        .init(kSecClassKey,              kSecAttrApplicationTag,      "canary",         .string("canary")),
        .init(kSecClassKey,              kSecAttrApplicationTag,      bytes,            .data(bytes)),
        .init(kSecClassKey,              kSecAttrApplicationTag,      true,             .refused(errSecParam)),
        .init(kSecClassKey,              kSecAttrKeyClass,            kSecAttrKeyClassPrivate, .number(1)),
        .init(kSecClassKey,              kSecAttrKeyType,             kSecAttrKeyTypeRSA, .number(42)),
        .init(kSecClassKey,              kSecAttrKeyType,             kSecAttrKeyTypeECSECPrimeRandomPKA, .string("2147483678")),
        .init(kSecClassKey,              kSecAttrKeyType,             bytes,            .refused(errSecParam)),
        .init(kSecClassKey,              kSecAttrKeyCreator,          "x",              .string("x")),
        .init(kSecClassKey,              kSecAttrKeySizeInBits,       "2048",           .number(2_048)),
        .init(kSecClassKey,              kSecAttrEffectiveKeySize,    256.0,            .number(256)),
        .init(kSecClassKey,              kSecAttrEffectiveKeySize,    0.5,              .refused(errSecDecode)),
        .init(kSecClassKey,              kSecAttrStartDate,           Date(timeIntervalSinceReferenceDate: 9), .date(9)),
        .init(kSecClassKey,              kSecAttrEndDate,             "2001-01-01",     .refused(errSecParam)),
        .init(kSecClassKey,              kSecAttrEndDate,             0,                .refused(errSecParam)),
        .init(kSecClassKey,              kSecAttrIsPermanent,         true,             .number(1)),
        .init(kSecClassKey,              kSecAttrIsSensitive,         "1",              .number(1)),
        .init(kSecClassKey,              kSecAttrIsExtractable,       NSNull(),         .refused(errSecParam)),
        .init(kSecClassKey,              kSecAttrCanSign,             kCFBooleanFalse!, .number(0)),
        .init(kSecClassKey,              kSecAttrCanVerify,           2,                .number(2)),
        .init(kSecClassKey,              kSecAttrCanWrap,             bytes,            .refused(errSecParam)),
    ]
}

@Suite(.searchedKeychain) struct ClassConversionTests {
    @Test(arguments: ClassConversionRow.table)
    func `a value is returned converted, and the original value finds the item`(row: ClassConversionRow) {
        let plain: Entries = [kSecClass as String: row.itemClass]
        let item = plain.adding([row.row.attribute: row.row.value()])
        let status = add(item).status
        if case .refused(let expected) = row.row.outcome {
            #expect(status == expected)
            #expect(find(item).status == expected)
            #expect(find(plain).status == errSecItemNotFound)
            return
        }
        #expect(status == errSecSuccess)
        let found = find(item.adding([kSecReturnAttributes as String: true]))
        #expect(row.row.outcome.equals((found.result as? [String: Any])?[row.row.attribute]))
    }

    @Test(arguments: ClassConversionRow.table)
    func `an update converts values like an addition`(row: ClassConversionRow) {
        let plain: Entries = [kSecClass as String: row.itemClass]
        #expect(add(plain).status == errSecSuccess)
        let values = [row.row.attribute: row.row.value()] as CFDictionary
        let status = SecItemUpdate(plain as CFDictionary, values)
        if case .refused(let expected) = row.row.outcome {
            #expect(status == expected)
            return
        }
        #expect(status == errSecSuccess)
        let found = find(plain.adding([kSecReturnAttributes as String: true]))
        #expect(row.row.outcome.equals((found.result as? [String: Any])?[row.row.attribute]))
    }

    /// Two values of one attribute of an item class, and whether queries and primary keys treat them as equal.
    // swift-format-ignore
    private static var pairs: [(CFString, CFString, (Any, Any), Bool)] { [
        (kSecClassKey,              kSecAttrApplicationTag,   ("canary", Data("canary".utf8)),      true),
        (kSecClassKey,              kSecAttrApplicationTag,   (1, "1"),                             false),
        (kSecClassKey,              kSecAttrApplicationTag,   ("canary", "Canary"),                 false),
        (kSecClassKey,              kSecAttrApplicationLabel, ("canary", Data("canary".utf8)),      true),
        (kSecClassKey,              kSecAttrKeyType,          ("73", 73),                           true),
        (kSecClassKey,              kSecAttrKeyType,          ("2147483678", Int64(2_147_483_678)), false),
        (kSecClassKey,              kSecAttrKeyClass,         (true, "1"),                          true),
        (kSecClassCertificate,      kSecAttrSerialNumber,     (1, Data([1, 0, 0, 0])),              true),
        (kSecClassCertificate,      kSecAttrSerialNumber,     (Data([1]), Data([0, 1])),            false),
        (kSecClassInternetPassword, kSecAttrServer,           ("canary", Data("canary".utf8)),      true),
        (kSecClassInternetPassword, kSecAttrPort,             (443, "x443"),                        false),
        (kSecClassInternetPassword, kSecAttrPort,             (443, "443"),                         true),
    ] }

    @Test(arguments: pairs.indices)
    func `two values are equal in queries if they are equal in primary keys`(index: Int) {
        let (itemClass, attribute, values, areEqual) = Self.pairs[index]
        let plain: Entries = [kSecClass as String: itemClass]
        #expect(add(plain.adding([attribute as String: values.0])).status == errSecSuccess)
        let other = plain.adding([attribute as String: values.1])
        #expect(find(other).status == (areEqual ? errSecSuccess : errSecItemNotFound))
        #expect(add(other).status == (areEqual ? errSecDuplicateItem : errSecSuccess))
    }
}
