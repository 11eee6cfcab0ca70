// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainObjects
import KeychainTestSupport
import Testing

/// Compares parsed certificates with openssl and an independent Python parser.
@Suite struct CertificateTests {
    @Test(arguments: Sampling.some(5, of: try CertificateFile.all(), for: "certificates for other readers"))
    func `a fixture certificate parses like openssl`(file: CertificateFile) throws {
        try compare(try file.data(), with: file)
    }

    static let keys = [
        ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
        ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
        ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"],
        ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-521"],
        ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:secp256k1"],
        ["-algorithm", "ED25519"], ["-algorithm", "ED448"],
    ]

    @Test(arguments: Sampling.some(2, of: keys, for: "kinds of keys of certificates"))
    func `a certificate with any key type parses like openssl`(key: [String]) throws {
        try TestTool.withDirectory { folder in
            let file = try CertificateFile.make(in: folder, key: key, subject: ["CN = Made for a test"])
            try compare(try file.data(), with: file)
            #expect(try ParsedCertificate(parsing: file.data()).summary == "Made for a test")
        }
    }

    static let masks = ["MASK:0x2", "MASK:0x4", "MASK:0x800", "MASK:0x2000", "default", "nombstr"]

    @Test(arguments: Sampling.some(2, of: masks, for: "types of string"))
    func `a name in any string type is decoded`(mask: String) throws {
        try TestTool.withDirectory { folder in
            let file = try CertificateFile.make(
                in: folder,
                key: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
                subject: ["C = de", "O = An  Organization ", "CN = A name", "emailAddress = a@example.com"],
                mask: mask
            )
            try compare(try file.data(), with: file)
            let certificate = try ParsedCertificate(parsing: file.data())
            #expect(certificate.commonNames == ["A name"])
            #expect(certificate.emailAddresses == ["a@example.com"])
        }
    }

    private func compare(_ data: Data, with file: CertificateFile) throws {
        let certificate = try ParsedCertificate(parsing: data)
        #expect(certificate.der == data)
        let second = try file.secondReading()
        #expect(certificate.version == second.version)
        #expect(certificate.serialNumber.hex == second.serialNumber)
        #expect(certificate.issuer.hex == second.issuer)
        #expect(certificate.subject.hex == second.subject)
        #expect(certificate.normalizedIssuer.content.hex == second.normalizedIssuer)
        #expect(certificate.normalizedSubject.content.hex == second.normalizedSubject)
        #expect(certificate.subjectPublicKeyInfo.hex == second.subjectPublicKeyInfo)
        #expect(certificate.subjectKeyIdentifier?.hex == second.subjectKeyIdentifier)
        #expect(NormalizedName(parsing: certificate.issuer) == certificate.normalizedIssuer)
        #expect(
            NormalizedName(parsing: certificate.normalizedSubject.sequence) == certificate.normalizedSubject
        )

        let text = try file.openssl("-text")
        #expect(text.contains { $0.contains("Version: \(certificate.version) (") })
        let dates = try file.openssl("-dates", "-dateopt", "iso_8601")
        #expect(
            dates == ["notBefore=" + iso(certificate.notBefore), "notAfter=" + iso(certificate.notAfter)]
        )
        #expect(Set(certificate.emailAddresses) == Set(try file.openssl("-email")))
        let key = try file.openssl("-pubkey").filter { !$0.hasPrefix("-----") }.joined()
        #expect(certificate.subjectPublicKeyInfo.base64EncodedString() == key)
        let serial = try #require(try file.openssl("-serial").first)
        #expect(serial == "serial=" + signedHexadecimal(certificate.serialNumber))
    }

    private func iso(_ seconds: Double) -> String {
        Date(timeIntervalSinceReferenceDate: seconds)
            .formatted(.iso8601.dateTimeSeparator(.space))
    }

    /// Returns a serial number as openssl prints it: a sign, and the magnitude in hexadecimal digits.
    private func signedHexadecimal(_ bytes: Data) -> String {
        var magnitude = [UInt8](bytes)
        let isNegative = (magnitude.first ?? 0) >= 0x80
        if isNegative {
            magnitude = magnitude.map { ~$0 }
            for index in magnitude.indices.reversed() {
                magnitude[index] &+= 1
                if magnitude[index] != 0 { break }
            }
        }
        let digits = magnitude.drop { $0 == 0 }
        return (isNegative ? "-" : "") + (digits.isEmpty ? "00" : Data(digits).hex.uppercased())
    }
}
