// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainObjects
import Testing

/// The parts that a certificate must have, and how each may be encoded.
@Suite struct StructureTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let part: String
        let path: @Sendable (inout SmallestCertificate, Data) -> Void
        let accepted: [String]
        let rejected: [String]

        var testDescription: String { part }
    }

    // swift-format-ignore
    static let rows: [Row] = [
        Row(part: "version", path: { $0.version = $1 },
            accepted: ["", "a003 020100", "a003 020101", "a003 020102"],
            rejected: ["a003 020103", "a003 0201ff", "a004 02020002", "a002 0200", "a000", "a006 020102 020102", "8003 020102", "a003 0a0102", "020102"]),
        Row(part: "serial number", path: { $0.serialNumber = $1 },
            accepted: ["020100", "0201ff", "02020001", "0202ffff", "0215 000102030405060708090a0b0c0d0e0f1011121314"],
            rejected: ["", "0200", "0401 05", "2203 020105", "0a0105"]),
        Row(part: "issuer", path: { $0.issuer = $1 },
            accepted: ["3000", "300b 3109 3007 0603550403 1300", "3002 3100"],
            rejected: ["", "3100", "3003 020105", "3002 3000", "3080 0000", "300a 3108 3006 0603550403 13", "0400"]),
        Row(part: "subject", path: { $0.subject = $1 },
            accepted: ["3000", "300b 3109 3007 0603550403 3000"],
            rejected: ["", "3004 3102 3000", "300d 310b 3009 0603550403 1300 1300", "300b 3109 3007 2603550403 1300"]),
        Row(part: "key", path: { $0.key = $1 },
            accepted: ["3006 3000 030200ff", "3005 3000 0301 00", "3006 3000 03020780"],
            rejected: ["", "3002 3000", "3004 3000 0300", "3006 3000 030208ff", "3006 3000 030201ff", "3006 3000 040200ff", "3008 3000 030200ff 0500", "3005 0500 0301 00"]),
        Row(part: "fields after the key", path: { $0.rest = $1 },
            accepted: ["", "810200ff", "820200ff", "a3023000", "810200ff 820200ff a3023000", "a309 3007 3005 060155 0400",
                       "a30c 300a 3008 060155 0101ff 0400", "a30c 300a 3008 060155 010100 0400"],
            rejected: ["0500", "a300", "83023000", "a304 3000 3000", "a304 3002 3000", "a3023100", "a3023000 0500", "a3023000 a3023000",
                      "a309 3007 3005 060155 0500", "a30b 3009 3007 060155 0400 0500"]),
        Row(part: "signature", path: { $0.signed = $1 },
            accepted: ["3000 0301 00"],
            rejected: ["", "3000", "3000 0500", "0500 030200ff", "3000 030200ff 0500"]),
    ]

    @Test(arguments: rows)
    func `each part accepts its valid encodings and no others`(row: Row) {
        for form in row.accepted {
            #expect(throws: Never.self, "\(form)") { try read(row, form) }
        }
        for form in row.rejected {
            #expect(throws: CertificateError.malformed, "\(form)") { try read(row, form) }
        }
    }

    @Test(
        arguments: [("", 1), ("a003 020100", 1), ("a003 020101", 2), ("a003 020102", 3)] as [(String, Int)]
    )
    func `the version is one more than the encoded number`(form: String, version: Int) throws {
        #expect(
            try ParsedCertificate(parsing: SmallestCertificate(version: Data(hex: form)).der).version
                == version
        )
    }

    @Test func `the first of two extensions of the same type applies`() throws {
        let identifier = { (byte: String) in "300b 0603551d0e 0404 0402 \(byte)\(byte)" }
        let rest = Data(hex: "a31c 301a" + identifier("aa") + identifier("bb"))
        let certificate = try ParsedCertificate(parsing: SmallestCertificate(rest: rest).der)
        #expect(certificate.subjectKeyIdentifier == Data([0xAA, 0xAA]))
    }

    private func read(_ row: Row, _ form: String) throws -> ParsedCertificate {
        var certificate = SmallestCertificate()
        row.path(&certificate, Data(hex: form))
        return try ParsedCertificate(parsing: certificate.der)
    }
}
