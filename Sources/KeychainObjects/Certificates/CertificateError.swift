// SPDX-License-Identifier: Apache-2.0

/// Why bytes are no certificate.
package enum CertificateError: Error, Hashable, Sendable {
    /// The bytes are not the DER of an X.509 certificate.
    case malformed
    /// The certificate is longer than ``Certificate/largestSize``.
    case tooLarge
}
