// SPDX-License-Identifier: Apache-2.0

/// What a certificate must be good for.
package enum CertificatePolicy: Hashable, Sendable {
    /// It leads to a root and every certificate on the way is valid.
    case basic
    /// Besides, it identifies a server: the one of the name or address, or any server where there is none.
    case server(hostname: String?)
    /// Besides, it identifies a client of a server: the one of the name or address, or any.
    case client(hostname: String?)
    /// It leads to a root, and nobody has revoked it: by the numbers of Apple's flags, how that is asked.
    case revocation(flags: UInt)

    /// The name or address that the certificate must have.
    package var hostname: String? {
        switch self {
        case .server(let hostname), .client(let hostname): hostname
        case .basic, .revocation: nil
        }
    }

    /// The same policy for whatever name.
    package var ofAnyName: Self {
        switch self {
        case .server: .server(hostname: nil)
        case .client: .client(hostname: nil)
        case .basic, .revocation: self
        }
    }

    /// Whether an authority must say that nothing was revoked, which none is ever asked for.
    package var demandsRevocationStatus: Bool {
        guard case .revocation(let flags) = self else { return false }
        return flags & Self.positiveResponse != 0
    }

    private static let positiveResponse: UInt = 1 << 3
}
