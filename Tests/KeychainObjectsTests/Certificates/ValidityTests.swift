// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainObjects
import KeychainTestSupport
import Testing

@Suite struct ValidityTests {
    @Test func `a certificate is valid from its first to its last second`() throws {
        let certificate = try ParsedCertificate(parsing: CertificateFile.named("distant-dates").data())
        let first = try Date("1940-02-29T12:00:00Z", strategy: .iso8601).timeIntervalSinceReferenceDate
        let last = try Date("2150-03-01T00:00:01Z", strategy: .iso8601).timeIntervalSinceReferenceDate
        #expect(certificate.notBefore == first && certificate.notAfter == last)
        for date in [first, 0, last] { #expect(certificate.isValid(at: date)) }
        for date in [first - 1, last + 1, -.infinity, .infinity, .nan] {
            #expect(!certificate.isValid(at: date))
        }
    }

    struct Row: Sendable {
        /// The DER tag of the type: UTCTime or GeneralizedTime.
        let tag: UInt8
        let text: String
        /// The date in ISO 8601; `nil` if the encoding is invalid.
        let date: String?

        init(_ tag: UInt8, _ text: String, _ date: String?) {
            self.tag = tag
            self.text = text
            self.date = date
        }
    }

    // swift-format-ignore
    static let rows: [Row] = [
        Row(0x17, "500101000000Z", "1950-01-01T00:00:00Z"),
        Row(0x17, "491231235959Z", "2049-12-31T23:59:59Z"),
        Row(0x17, "000229000000Z", "2000-02-29T00:00:00Z"),
        Row(0x18, "20000301000000Z", "2000-03-01T00:00:00Z"),
        Row(0x18, "19000301000000Z", "1900-03-01T00:00:00Z"),
        Row(0x18, "15821015000000Z", "1582-10-15T00:00:00Z"),
        Row(0x18, "99991231235959Z", "9999-12-31T23:59:59Z"),
        Row(0x18, "20240229120000Z", "2024-02-29T12:00:00Z"),
        Row(0x17, "000230000000Z", nil), Row(0x17, "001301000000Z", nil), Row(0x17, "0001010000Z", nil),
        Row(0x17, "000101000000+0100", nil), Row(0x17, "000101240000Z", nil), Row(0x17, "", nil),
        Row(0x18, "19000229000000Z", nil), Row(0x18, "20000101000000", nil), Row(0x16, "20000101000000Z", nil),
    ]

    @Test(arguments: rows)
    func `a date is parsed to the second`(row: Row) throws {
        let last = SmallestCertificate.element(row.tag, Data(row.text.utf8))
        let bytes = SmallestCertificate(notAfter: last).der
        guard let expectedDate = row.date else {
            #expect(throws: CertificateError.malformed) { try ParsedCertificate(parsing: bytes) }
            return
        }
        let expected = try Date(expectedDate, strategy: .iso8601).timeIntervalSinceReferenceDate
        #expect(try ParsedCertificate(parsing: bytes).notAfter == expected)
    }

    @Test func `dates in year 0 are accepted`() throws {
        let date = SmallestCertificate.element(0x18, Data("00000101000000Z".utf8))
        let bytes = SmallestCertificate(notAfter: date).der
        // The earliest date: 0000-01-01 is 730,851 days before 2001-01-01 in the proleptic Gregorian calendar.
        #expect(try ParsedCertificate(parsing: bytes).notAfter == -730_851 * 86_400)
    }
}
