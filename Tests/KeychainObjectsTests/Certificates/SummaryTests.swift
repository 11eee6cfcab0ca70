// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainObjects
import KeychainTestSupport
import Testing

@Suite struct SummaryTests {
    struct Row: Sendable {
        let subject: [String]
        var names: [String] = []
        let summary: String?
    }

    static let rows: [Row] = [
        Row(subject: ["O = O", "CN = A"], summary: "A"),
        Row(subject: ["0.CN = A", "1.CN = B", "2.CN = C"], summary: "C, B, A"),
        Row(subject: ["CN = A", "description = D"], summary: "A (D)"),
        Row(subject: ["0.CN = A", "description = D", "1.CN = B"], summary: "B, A (D)"),
        Row(subject: ["CN = A", "emailAddress = a@example.com"], summary: "A"),
        Row(subject: ["O = O", "emailAddress = a@example.com"], summary: "a@example.com"),
        Row(
            subject: ["O = O", "emailAddress = a@example.com"],
            names: ["DNS:example.com", "email:b@example.com"],
            summary: "b@example.com"
        ),
        Row(subject: ["O = O"], names: ["DNS:a.example.com", "DNS:example.com"], summary: "a.example.com"),
        Row(subject: ["O = O", "OU = U"], names: ["IP:127.0.0.1"], summary: "U"),
        Row(subject: ["O = O", "0.OU = U", "1.OU = V"], summary: "V, U"),
        Row(subject: ["C = DE", "O = O", "description = D"], summary: "O"),
        Row(subject: ["C = DE", "L = L"], summary: "L, DE"),
        Row(subject: ["description = D"], summary: "D"),
        Row(subject: ["CN = Käse 🧀"], summary: "Käse 🧀"),
    ]

    @Test(arguments: rows)
    func `the summary is the best available name`(row: Row) throws {
        try TestTool.withDirectory { folder in
            let names = row.names.isEmpty ? [] : ["subjectAltName = " + row.names.joined(separator: ",")]
            let file = try CertificateFile.make(
                in: folder,
                key: ["-algorithm", "ED25519"],
                subject: row.subject,
                extensions: ["subjectKeyIdentifier = hash"] + names
            )
            #expect(try ParsedCertificate(parsing: file.data()).summary == row.summary)
        }
    }

    // swift-format-ignore
    @Test(arguments: [
        ("no-subject", nil), ("p256", "Example"), ("teletex", "Käse  groß"), ("bmp", "Käse Łódź"),
        ("two-common-names", "Second, First (of two)"), ("mailboxes", "alt@example.com"), ("several-in-one", "Example"),
    ] as [(String, String?)])
    func `fixture certificates have the expected summaries`(file: String, summary: String?) throws {
        #expect(try ParsedCertificate(parsing: CertificateFile.named(file).data()).summary == summary)
    }

    @Test func `email addresses and DNS names are in certificate order`() throws {
        let certificate = try ParsedCertificate(parsing: CertificateFile.named("mailboxes").data())
        #expect(
            certificate.emailAddresses == ["alt@example.com", "other@example.com", "subject@example.com"]
        )
        #expect(certificate.dnsNames == ["example.com", "www.example.com"])
    }

    // swift-format-ignore
    @Test(arguments: [
        ("mailboxes", "alt@example.com", true), ("mailboxes", "ALT@Example.COM", true),
        ("mailboxes", "subject@example.com", true), ("mailboxes", "other@example.com", true),
        ("mailboxes", "example.com", false), ("mailboxes", "", false), ("mailboxes", "alt@example.co", false),
        ("mailboxes", "alt@example.com ", false), ("mailboxes", "alt`example.com", false),
        ("p256", "alt@example.com", false), ("p256", "", false),
    ] as [(String, String, Bool)])
    func `an email address matches in either case`(file: String, address: String, isFound: Bool) throws {
        let certificate = try ParsedCertificate(parsing: CertificateFile.named(file).data())
        #expect(certificate.hasEmailAddress(address) == isFound)
    }
}
