// SPDX-License-Identifier: Apache-2.0

#if Objects
import Crypto
import FoundationEssentials
#endif

/// Computes HMAC (RFC 2104) with the hash functions that one-time codes use.
package enum MessageAuthentication: String, CaseIterable, Sendable {
    case sha1 = "SHA1"
    case sha256 = "SHA256"
    case sha512 = "SHA512"

    /// Returns the authentication code of a message; `nil` without the package trait `Objects`.
    package func code(of message: [UInt8], key: [UInt8]) -> [UInt8]? {
        #if Objects
        let key = SymmetricKey(data: key)
        return switch self {
        case .sha1: Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: key))
        case .sha256: Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
        case .sha512: Array(HMAC<SHA512>.authenticationCode(for: message, using: key))
        }
        #else
        return nil
        #endif
    }
}
