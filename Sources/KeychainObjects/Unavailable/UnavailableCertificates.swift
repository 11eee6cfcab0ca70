// SPDX-License-Identifier: Apache-2.0

#if !Objects
package import FoundationEssentials

/// The placeholder for certificates in builds without the package trait `Objects`.
///
/// Code that is also built without the trait uses these members. The type has no values: the initializer throws.
package struct ParsedCertificate: Sendable {
    private let none: Never

    package init(parsing data: Data) throws(CertificateError) { throw .malformed }

    package var der: Data { switch none {} }
    package var version: Int { switch none {} }
    package var serialNumber: Data { switch none {} }
    package var normalizedIssuer: NormalizedName { switch none {} }
    package var normalizedSubject: NormalizedName { switch none {} }
    package var notBefore: Double { switch none {} }
    package var notAfter: Double { switch none {} }
    package var subjectPublicKeyInfo: Data { switch none {} }
    package var publicKeyBits: Data { switch none {} }
    package var subjectKeyIdentifier: Data? { switch none {} }
    package var permitsCodeSigning: Bool { switch none {} }
    package var emailAddresses: [String] { switch none {} }
    package var commonNames: [String] { switch none {} }
    package var summary: String? { switch none {} }
    package var sha1Digest: Data { switch none {} }
    package var sha256Digest: Data { switch none {} }
    package var publicKeyHash: Data { switch none {} }

    package func hasEmailAddress(_ address: String) -> Bool { switch none {} }
    package func isValid(at date: Double) -> Bool { switch none {} }
}

/// The placeholder for an X.509 Name; parsing returns `nil`.
package struct NormalizedName: Hashable, Sendable {
    private let none: Never

    package init?(parsing data: Data) { nil }

    package var content: Data { switch none {} }
    package var sequence: Data { switch none {} }
}
#endif
