// SPDX-License-Identifier: Apache-2.0

import Crypto
package import FoundationEssentials

/// The digests by which people name certificates.
package enum CertificateDigest {
    package static func sha1(of certificate: Data) -> Data { Data(Insecure.SHA1.hash(data: certificate)) }

    package static func sha256(of certificate: Data) -> Data { Data(SHA256.hash(data: certificate)) }
}
