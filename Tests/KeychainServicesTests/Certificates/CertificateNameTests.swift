// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

/// The names in a certificate: summary, common name, email addresses, subject and issuer.
@Suite struct CertificateNameTests {
    // swift-format-ignore
    static let summaries: [(file: String, summary: String?)] = [
        ("p256", "Example"), ("teletex", "Käse  groß"), ("bmp", "Käse Łódź"), ("no-subject", nil),
        ("two-common-names", "Second, First (of two)"), ("mailboxes", "alt@example.com"),
    ]

    @Test(arguments: summaries)
    func `the summary is the best available name`(file: String, summary: String?) throws {
        #expect(SecCertificateCopySubjectSummary(try certificate(file)) as String? == summary)
    }

    // swift-format-ignore
    static let commonNames: [(file: String, name: String?)] = [
        ("p256", "Example"), ("two-common-names", "Second"), ("several-in-one", "Example"), ("mailboxes", nil),
        ("no-subject", nil),
    ]

    @Test(arguments: commonNames)
    func `the last common name is returned; without one, the call fails`(file: String, name: String?) throws {
        var found: CFString? = "before"
        let status = SecCertificateCopyCommonName(try certificate(file), &found)
        #expect(status == (name == nil ? errSecInternal : errSecSuccess))
        #expect(found as String? == name ?? "before")
    }

    @Test func `email addresses are returned as a possibly empty array`() throws {
        var found: CFArray?
        #expect(SecCertificateCopyEmailAddresses(try certificate("mailboxes"), &found) == errSecSuccess)
        #expect(found as? [String] == ["alt@example.com", "other@example.com", "subject@example.com"])
        #expect(SecCertificateCopyEmailAddresses(try certificate("p256"), &found) == errSecSuccess)
        #expect(found as? [String] == [])
    }

    @Test(arguments: Sampling.some(5, of: try CertificateFile.all(), for: "certificates with names"))
    func `normalized names are returned as DER SEQUENCEs`(file: CertificateFile) throws {
        let certificate = try certificate(file.description)
        let second = try file.secondReading()
        func check(_ name: CFData?, _ content: String) throws {
            let name = try #require(name as Data?)
            #expect(name.first == 0x30)
            #expect(Array(name.suffix(content.count / 2)) == bytes(content))
            #expect(name.count == content.count / 2 + 2)
        }
        try check(SecCertificateCopyNormalizedIssuerSequence(certificate), second.normalizedIssuer)
        try check(SecCertificateCopyNormalizedSubjectSequence(certificate), second.normalizedSubject)
    }

    // swift-format-ignore
    static let serialNumbers: [(file: String, bytes: String)] = [
        ("p256", "01"), ("rsa", "00ff00ff00ff00ff"), ("negative-serial", "ff38"),
        ("long-serial", "00fedcba98765432100123456789abcdeffedcba98"),
    ]

    @Test(arguments: serialNumbers)
    func `a serial number includes its sign byte`(file: String, expected: String) throws {
        var error: Unmanaged<CFError>?
        let number = SecCertificateCopySerialNumberData(try certificate(file), &error)
        #expect((number as Data?).map { Array($0) } == bytes(expected))
        #expect(error == nil)
    }

    private func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.compactMap { $0.hexDigitValue }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
    }

    private func certificate(_ name: String) throws -> SecCertificate {
        try #require(
            SecCertificateCreateWithData(nil, try CertificateFile.named(name).data() as CFData)
        )
    }
}
