// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainObjects
import KeychainTestSupport
import Testing

/// Malformed certificates: parsing them fails or succeeds, but does not crash.
@Suite struct HostileCertificateTests {
    @Test(arguments: ["mailboxes", "printable", "distant-dates"])
    func `truncated certificates are rejected`(name: String) throws {
        let bytes = try CertificateFile.named(name).data()
        for count in Sampling.some(150, of: 0..<bytes.count, for: "truncations of \(name)") {
            #expect(throws: CertificateError.malformed) {
                try ParsedCertificate(parsing: bytes.prefix(count))
            }
        }
    }

    @Test(arguments: ["mailboxes", "printable"])
    func `a certificate with a flipped bit parses or is rejected`(name: String) throws {
        let bytes = try CertificateFile.named(name).data()
        var readCount = 0
        let bits = Sampling.some(800, of: 0..<bytes.count * 8, for: "bits of \(name)")
        for bit in bits {
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            guard let certificate = try? ParsedCertificate(parsing: changed) else { continue }
            readCount += 1
            use(certificate)
            #expect(certificate.der.count <= changed.count)
        }
        // A certificate in which a bit of the key or the signature is flipped can still be parsed.
        #expect(readCount > bits.count / 10 && readCount < bits.count)
    }

    @Test func `trailing data after a certificate is dropped`() throws {
        let bytes = try CertificateFile.named("p256").data()
        for rest in [Data([0]), bytes, Data(repeating: 0xFF, count: 20 << 20)] {
            #expect(try ParsedCertificate(parsing: bytes + rest).der == bytes)
        }
        let slice = (Data([1, 2, 3]) + bytes).dropFirst(3)
        #expect(try ParsedCertificate(parsing: slice).der == bytes)
    }

    // swift-format-ignore
    @Test(arguments: [
        "", "30", "3080", "3080 0000", "3084ffffffff", "3085ffffffffff", "3088ffffffffffffffff", "30ff", "3000", "0500",
        "3081ff", "30840000 0000", "3082 0003 020101", "1f8100", "3f8100", "3003 308001",
    ])
    func `a malformed header is rejected`(bytes: String) {
        #expect(throws: CertificateError.malformed) { try ParsedCertificate(parsing: Data(hex: bytes)) }
    }

    @Test func `a certificate that is too large is rejected before it is parsed`() throws {
        #expect(throws: CertificateError.tooLarge) {
            try ParsedCertificate(parsing: Data(hex: "3084 01400000") + Data(count: 20 << 20))
        }
        #expect(throws: CertificateError.tooLarge) {
            try ParsedCertificate(parsing: Data(hex: "3083 040000") + Data(count: 0x040000))
        }
        #expect(NormalizedName(parsing: Data(hex: "3084 01400000") + Data(count: 20 << 20)) == nil)
        #expect(throws: CertificateError.malformed) { try ParsedCertificate(parsing: Data(count: 20 << 20)) }
    }

    @Test func `a large certificate that consists of empty elements is rejected`() {
        let count = ParsedCertificate.largestSize / 2 - 4
        let elements = Data(repeatElement([0x30, 0x00], count: count).joined())
        let length = UInt32(elements.count)
        let header = Data([0x30, 0x83, UInt8(length >> 16), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF)])
        #expect(throws: CertificateError.malformed) { try ParsedCertificate(parsing: header + elements) }
        #expect(NormalizedName(parsing: header + elements) == nil)
    }

    @Test(arguments: [49, 50, 1_000, 60_000])
    func `nesting depth is limited`(depth: Int) {
        var bytes = Data()
        for _ in 0..<depth {
            let length = bytes.count
            let header: [UInt8] =
                length < 0x80
                ? [0x30, UInt8(length)]
                : [0x30, 0x83, UInt8(length >> 16), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF)]
            // Builds the nested headers from the inside out: appends each header reversed, and reverses all at
            // the end.
            bytes += header.reversed()
        }
        bytes.reverse()
        #expect(throws: CertificateError.self) { try ParsedCertificate(parsing: bytes) }
        #expect(NormalizedName(parsing: bytes) == nil)
    }

    @Test func `a malformed extension counts as absent`() throws {
        let bytes = try CertificateFile.named("mailboxes").data()
        let broken = { (identifier: String) throws -> ParsedCertificate in
            // The length byte of the extension's value, within its OCTET STRING.
            let offset = try #require(bytes.range(of: Data(hex: identifier))).upperBound + 3
            var changed = bytes
            changed[offset] = 0xFF
            return try ParsedCertificate(parsing: changed)
        }
        let withoutNames = try broken("0603551d11")
        #expect(withoutNames.dnsNames.isEmpty && withoutNames.subjectKeyIdentifier?.count == 20)
        #expect(withoutNames.emailAddresses == ["subject@example.com"])
        let withoutIdentifier = try broken("0603551d0e")
        #expect(withoutIdentifier.dnsNames.count == 2 && withoutIdentifier.subjectKeyIdentifier == nil)
    }

    private func use(_ certificate: ParsedCertificate) {
        _ = certificate.summary
        _ = certificate.emailAddresses
        _ = certificate.dnsNames
        _ = certificate.subjectKeyIdentifier
        _ = certificate.normalizedIssuer.sequence
        _ = certificate.isValid(at: 0)
    }
}
