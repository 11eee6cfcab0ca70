// SPDX-License-Identifier: Apache-2.0

package import Foundation
import KeychainObjects

/// What the command shows of a certificate and macOS has no public call for.
extension SecCertificate {
    /// The SHA-1 digest of the certificate, by which people name it.
    package var sha1Digest: Data { content.sha1Digest }

    /// The SHA-256 digest of the certificate.
    package var sha256Digest: Data { content.sha256Digest }

    /// Whether its extended key usage allows code signing or any purpose.
    ///
    /// Source: RFC 5280, section 4.2.1.12.
    package var permitsCodeSigning: Bool { content.permitsCodeSigning }

    /// When it begins to be valid.
    package var notValidBefore: Date { Date(timeIntervalSinceReferenceDate: content.notBefore) }

    /// The last moment at which it is valid.
    package var notValidAfter: Date { Date(timeIntervalSinceReferenceDate: content.notAfter) }
}
