// SPDX-License-Identifier: Apache-2.0

package enum CertificateError: Error, Hashable, Sendable {
    /// The bytes are not the DER of an X.509 certificate.
    case malformed
    /// The certificate is longer than ``ParsedCertificate/largestSize``.
    case tooLarge
}
