// SPDX-License-Identifier: Apache-2.0

/// Why bytes are no certificate.
package enum CertificateError: Error, Hashable, Sendable {
    case malformed
}
