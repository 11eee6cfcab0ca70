// SPDX-License-Identifier: Apache-2.0

#if Objects
import Crypto
package import FoundationEssentials

/// The digests that identify certificates.
extension ParsedCertificate {
    package var sha1Digest: Data { Data(Insecure.SHA1.hash(data: der)) }
    package var sha256Digest: Data { Data(SHA256.hash(data: der)) }

    /// SHA-1 of the public key, which links a certificate to its private key.
    package var publicKeyHash: Data { PublicKeyHash.sha1(of: publicKeyBits) }
}
#endif
