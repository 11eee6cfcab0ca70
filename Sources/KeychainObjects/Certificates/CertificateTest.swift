// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// What a certificate must be beyond its attributes.
package struct CertificateTest: Hashable, Sendable {
    /// Normalized names, one of which must be found in the chain of issuers; empty where any issuer will do.
    package var issuers: [Data] = []
    package var emailAddress: String?
    /// Seconds since 2001-01-01 00:00 UTC at which the certificate must be valid.
    package var validOn: Double?
    /// The policy that a trusted chain must satisfy.
    package var policy: CertificatePolicy?

    package init() {}

    /// Whether every certificate passes.
    package var isEmpty: Bool { issuers.isEmpty && !readsContent }

    /// Whether the certificate itself must be read, and not only its attributes.
    package var readsContent: Bool { emailAddress != nil || validOn != nil || policy != nil }

    /// Whether a certificate has the wanted address and is valid on the wanted date; bytes that are none do not pass.
    package func passes(content: Data) -> Bool {
        guard let certificate = try? ParsedCertificate(parsing: content) else { return false }
        if let emailAddress, !certificate.hasEmailAddress(emailAddress) { return false }
        if let validOn, !certificate.isValid(at: validOn) { return false }
        return true
    }
}
