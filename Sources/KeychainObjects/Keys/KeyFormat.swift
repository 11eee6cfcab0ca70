// SPDX-License-Identifier: Apache-2.0

package enum KeyFormat: CaseIterable, Sendable {
    /// An RSA key (RFC 8017).
    case pkcs1
    /// An elliptic-curve private key (RFC 5915).
    case sec1
    /// A private key of any type (RFC 5208).
    case pkcs8
    /// A public key of any type (RFC 5280), as it is in a certificate.
    case subjectPublicKeyInfo
    /// OpenSSH's formats.
    ///
    /// A public key of any type is a line of text (RFC 4253, RFC 5656); a private key is in OpenSSH's own format.
    case openSSH

    /// The PEM label of a public or private key; `nil` if the format has no PEM form for it.
    package func label(for half: KeyHalf) -> String? {
        switch (self, half) {
        case (.pkcs1, .private): "RSA PRIVATE KEY"
        case (.pkcs1, .public): "RSA PUBLIC KEY"
        case (.sec1, .private): "EC PRIVATE KEY"
        case (.pkcs8, .private): "PRIVATE KEY"
        case (.subjectPublicKeyInfo, .public): "PUBLIC KEY"
        case (.openSSH, .private): OpenSSHPrivateKey.label
        default: nil
        }
    }
}
