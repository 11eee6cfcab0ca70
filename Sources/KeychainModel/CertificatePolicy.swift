// SPDX-License-Identifier: Apache-2.0

/// What a chain of certificates is wanted for.
package enum CertificatePolicy: Hashable, Codable, Sendable {
    /// Any purpose: the chain ends at a trusted root and is valid.
    case basic
    /// A server's certificate, for the host if one is named.
    case server(hostName: String?)
}
