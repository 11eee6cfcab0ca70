// SPDX-License-Identifier: Apache-2.0

/// The purpose for which a certificate is verified.
package enum CertificatePolicy: Hashable, Sendable {
    /// The certificate chains to an anchor, and every certificate of the chain is valid.
    case basic
    /// `basic`, and the certificate identifies a TLS server with this name or address; `nil` accepts any.
    case server(hostname: String?)
    /// `basic`, and the certificate identifies a TLS client with this name or address; `nil` accepts any.
    case client(hostname: String?)
    /// `basic`; a certificate is never trusted if the flags require a revocation response.
    ///
    /// - Parameter flags: Apple's revocation flags.
    case revocation(flags: UInt)

    /// The name or address that the certificate must contain; `nil` for any.
    package var hostname: String? {
        switch self {
        case .server(let hostname), .client(let hostname): hostname
        case .basic, .revocation: nil
        }
    }

    /// A copy of this policy that accepts any name or address.
    package var forAnyHostname: Self {
        switch self {
        case .server: .server(hostname: nil)
        case .client: .client(hostname: nil)
        case .basic, .revocation: self
        }
    }

    /// Whether the policy requires a revocation response, which never exists: no OCSP or CRL is consulted.
    package var requiresRevocationResponse: Bool {
        guard case .revocation(let flags) = self else { return false }
        return flags & Self.positiveResponse != 0
    }

    private static let positiveResponse: UInt = 1 << 3
}
