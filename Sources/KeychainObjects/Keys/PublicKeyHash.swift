// SPDX-License-Identifier: Apache-2.0

#if Objects
import Crypto
package import FoundationEssentials

/// SHA-1 of a public key: `klbl` of the key and `pkhh` of its certificates, by which the two find each other.
///
/// It is a name and protects nothing, so its weakness does not matter here.
package enum PublicKeyHash {
    /// Hashes the bits of a public key, which are its external representation too.
    package static func sha1(of publicKey: Data) -> Data { Data(Insecure.SHA1.hash(data: publicKey)) }
}
#endif
