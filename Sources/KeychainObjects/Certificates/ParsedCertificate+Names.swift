// SPDX-License-Identifier: Apache-2.0

#if Objects
package import FoundationEssentials
import SwiftASN1

extension ParsedCertificate {
    /// The value of the extension SubjectKeyIdentifier.
    package var subjectKeyIdentifier: Data? {
        value(ofExtension: CertificateOID.subjectKeyIdentifier)?.content(of: .octetString).map { Data($0) }
    }

    /// Whether the extended key usage allows code signing or any purpose.
    package var permitsCodeSigning: Bool {
        let usages = value(ofExtension: CertificateOID.extendedKeyUsage)?.elements(of: .sequence)
        return usages?.contains { node in
            guard let usage = node.content(of: .objectIdentifier) else { return false }
            return usage.elementsEqual(CertificateOID.codeSigning)
                || usage.elementsEqual(CertificateOID.anyExtendedKeyUsage)
        } ?? false
    }

    /// The mailboxes (RFC 822 names): those of the alternative names first, then those of the subject.
    package var emailAddresses: [String] {
        alternativeNames(1) + subjectName.texts(of: CertificateOID.emailAddress)
    }

    /// Whether one of the mailboxes is this one; letters of ASCII are equal in either case, all others byte for byte.
    ///
    /// A certificate without a mailbox has none that is equal.
    package func hasEmailAddress(_ address: String) -> Bool {
        emailAddresses.contains { $0.utf8.count == address.utf8.count && Self.areEqual($0, address) }
    }

    private static func areEqual(_ left: String, _ right: String) -> Bool {
        left.utf8.elementsEqual(right.utf8) { left, right in
            left == right || (left ^ right == 0x20 && UInt8(ascii: "a")...UInt8(ascii: "z") ~= left | 0x20)
        }
    }

    /// The DNS names of the alternative names.
    package var dnsNames: [String] { alternativeNames(2) }

    /// The subject's common names in the order of the encoding, which is from the general to the particular.
    package var commonNames: [String] { subjectName.texts(of: CertificateOID.commonName) }

    /// What the user would call the certificate; `nil` where no name of it is a text.
    ///
    /// The first of these that exists: the common names, with the description in parentheses if there is one; the
    /// first mailbox; the first DNS name; the organizational units; the organizations; whatever else is in the subject.
    /// Of several names of a kind the last comes first. Source: Apple's published Security sources.
    package var summary: String? {
        if let name = Self.joined(commonNames) {
            let description = subjectName.texts(of: CertificateOID.description).first { !$0.isEmpty }
            return description.map { "\(name) (\($0))" } ?? name
        }
        return emailAddresses.first { !$0.isEmpty }
            ?? dnsNames.first { !$0.isEmpty }
            ?? Self.joined(subjectName.texts(of: CertificateOID.organizationalUnit))
            ?? Self.joined(subjectName.texts(of: CertificateOID.organization))
            ?? Self.joined(subjectName.texts)
    }

    private static func joined(_ names: [String]) -> String? {
        let names = names.filter { !$0.isEmpty }
        return names.isEmpty ? nil : names.reversed().joined(separator: ", ")
    }

    /// The alternative names under a tag, all of which are IA5Strings.
    private func alternativeNames(_ tag: UInt) -> [String] {
        let names = value(ofExtension: CertificateOID.subjectAlternativeName)?.elements(of: .sequence)
        return (names?.compactMap { $0.content(of: .field(tag)) } ?? [])
            .compactMap { String(validating: $0, as: Unicode.ASCII.self) }
    }
}
#endif
