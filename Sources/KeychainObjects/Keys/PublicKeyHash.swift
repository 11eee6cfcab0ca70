// SPDX-License-Identifier: Apache-2.0

#if Objects
import Crypto
package import FoundationEssentials

/// Computes the SHA-1 digest of a public key, which links keys to their certificates.
///
/// The digest is the attribute `klbl` of a key and `pkhh` of a certificate. It is only an identifier, so
/// SHA-1 suffices.
package enum PublicKeyHash {
    package static func sha1(of publicKey: Data) -> Data { Data(Insecure.SHA1.hash(data: publicKey)) }
}
#endif
