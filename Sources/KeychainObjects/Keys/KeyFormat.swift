// SPDX-License-Identifier: Apache-2.0

/// The forms in which files hold keys.
package enum KeyFormat: CaseIterable, Sendable {
    /// An RSA key by itself (RFC 8017).
    case pkcs1
    /// A private key of a curve by itself (RFC 5915).
    case sec1
    /// A private key of any type (RFC 5208).
    case pkcs8
    /// A public key of any type (RFC 5280), as it is in a certificate.
    case subjectPublicKeyInfo
    /// A public key of any type in a line of text (RFC 4253, RFC 5656).
    case openSSH

    /// What stands between the dashes of PEM; `nil` for a form that is text already or does not fit the half.
    package func label(for half: KeyHalf) -> String? {
        switch (self, half) {
        case (.pkcs1, .private): "RSA PRIVATE KEY"
        case (.pkcs1, .public): "RSA PUBLIC KEY"
        case (.sec1, .private): "EC PRIVATE KEY"
        case (.pkcs8, .private): "PRIVATE KEY"
        case (.subjectPublicKeyInfo, .public): "PUBLIC KEY"
        default: nil
        }
    }
}
