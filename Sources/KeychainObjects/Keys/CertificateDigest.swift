// SPDX-License-Identifier: Apache-2.0

#if Objects
import Crypto
package import FoundationEssentials

/// The digests by which certificates are named.
extension ParsedCertificate {
    package var sha1Digest: Data { Data(Insecure.SHA1.hash(data: der)) }
    package var sha256Digest: Data { Data(SHA256.hash(data: der)) }

    /// The SHA-1 of the bits of the public key, by which a certificate and its key find each other.
    package var publicKeyHash: Data { PublicKeyHash.sha1(of: publicKeyBits) }
}
#endif
