// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// Conditions on a certificate that cannot be checked with stored attributes.
package struct CertificateTest: Hashable, Sendable {
    /// Normalized names, one of which must occur in the issuer chain.
    ///
    /// If empty, any issuer matches.
    package var issuers: [Data] = []
    package var emailAddress: String?
    /// The date at which the certificate must be valid, in seconds since 2001-01-01 00:00 UTC.
    package var validOn: Double?
    /// The policy that a trusted chain must satisfy.
    package var policy: CertificatePolicy?

    package init() {}

    package var isEmpty: Bool { issuers.isEmpty && !readsContent }

    /// Whether matching requires parsing the certificate.
    package var readsContent: Bool { emailAddress != nil || validOn != nil || policy != nil }

    /// Returns whether the content is a certificate in DER that satisfies the conditions on email address and date.
    package func passes(content: Data) -> Bool {
        guard let certificate = try? ParsedCertificate(parsing: content) else { return false }
        if let emailAddress, !certificate.hasEmailAddress(emailAddress) { return false }
        if let validOn, !certificate.isValid(at: validOn) { return false }
        return true
    }
}
