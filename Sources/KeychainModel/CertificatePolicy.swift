// SPDX-License-Identifier: Apache-2.0

/// What a certificate must be good for.
///
/// It is a plain value because a request that holds one may cross a socket.
package enum CertificatePolicy: Hashable, Codable, Sendable {
    /// It leads to a root and every certificate on the way is valid.
    case basic
    /// Besides, it identifies a server: the one of the name or address, or any server where there is none.
    case server(hostname: String?)
    /// Besides, it identifies a client of a server.
    case client
}
