// SPDX-License-Identifier: Apache-2.0

#if Objects
package import FoundationEssentials
import SwiftASN1

extension ParsedCertificate {
    /// The value of the SubjectKeyIdentifier extension; `nil` if the extension is absent or malformed.
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

    /// The email addresses: first those in the subject alternative names, then those in the subject.
    package var emailAddresses: [String] {
        alternativeNames(1) + subjectName.strings(of: CertificateOID.emailAddress)
    }

    /// Whether the certificate has this email address.
    ///
    /// ASCII letters are compared without case, all other characters byte for byte.
    package func hasEmailAddress(_ address: String) -> Bool {
        emailAddresses.contains { $0.utf8.count == address.utf8.count && Self.areEqual($0, address) }
    }

    private static func areEqual(_ left: String, _ right: String) -> Bool {
        left.utf8.elementsEqual(right.utf8) { left, right in
            left == right || (left ^ right == 0x20 && UInt8(ascii: "a")...UInt8(ascii: "z") ~= left | 0x20)
        }
    }

    /// The DNS names among the subject alternative names.
    package var dnsNames: [String] { alternativeNames(2) }

    /// The subject's common names in encoding order, most general first.
    package var commonNames: [String] { subjectName.strings(of: CertificateOID.commonName) }

    /// The name to show to the user; `nil` if the certificate has no readable name.
    ///
    /// The summary is the first of these that the certificate has: the common names, followed by the description
    /// in parentheses if there is one; the first email address; the first DNS name; the organizational units;
    /// the organizations; all other attributes of the subject. Several names of the same type are listed last to
    /// first. Source: Apple's published Security sources.
    package var summary: String? {
        if let name = Self.joined(commonNames) {
            let description = subjectName.strings(of: CertificateOID.description).first { !$0.isEmpty }
            return description.map { "\(name) (\($0))" } ?? name
        }
        return emailAddresses.first { !$0.isEmpty }
            ?? dnsNames.first { !$0.isEmpty }
            ?? Self.joined(subjectName.strings(of: CertificateOID.organizationalUnit))
            ?? Self.joined(subjectName.strings(of: CertificateOID.organization))
            ?? Self.joined(subjectName.strings)
    }

    private static func joined(_ names: [String]) -> String? {
        let names = names.filter { !$0.isEmpty }
        return names.isEmpty ? nil : names.reversed().joined(separator: ", ")
    }

    /// Returns the subject alternative names with a context tag: 1 for email addresses, 2 for DNS names.
    ///
    /// Both are IA5Strings, so names that are not ASCII are omitted.
    private func alternativeNames(_ tag: UInt) -> [String] {
        let names = value(ofExtension: CertificateOID.subjectAlternativeName)?.elements(of: .sequence)
        return (names?.compactMap { $0.content(of: .field(tag)) } ?? [])
            .compactMap { String(validating: $0, as: Unicode.ASCII.self) }
    }
}
#endif
