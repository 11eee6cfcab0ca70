// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// Why a key could not be created or used.
///
/// The cases have no associated values, so that an error cannot leak key material.
package enum AsymmetricKeyError: Error, Hashable, Sendable {
    /// The data is not a valid key of this type.
    case malformedKey
    case unsupportedKey
    case encryptedKey
    case keySizeNotAllowed
    /// The key does not support the algorithm, for example because it is a public key, or of another type.
    case wrongAlgorithm
    case algorithmNotImplemented
    /// The input, a parameter or the other party's key does not suit the algorithm.
    case wrongInput
    /// The signature is not valid for this key and input.
    case signatureMismatch
    /// The operation failed. Decryption gives no further detail.
    case operationFailed
}

extension AsymmetricKeyError {
    /// Runs `body`; throws `other` instead of every error that is not an `AsymmetricKeyError`.
    static func catching<Result>(
        _ other: AsymmetricKeyError,
        _ body: () throws -> Result
    ) throws(AsymmetricKeyError) -> Result {
        do { return try body() } catch let own as AsymmetricKeyError { throw own } catch { throw other }
    }

    /// The status that the `SecKey` functions report for this error.
    ///
    /// Apple's functions report `errSecParam` for everything but a wrong signature. The functions of this package
    /// report `errSecUnimplemented` for an algorithm or a key that is not supported. Source: Apple's published
    /// Security sources.
    package var status: Status {
        switch self {
        case .algorithmNotImplemented, .unsupportedKey: .unimplemented
        case .signatureMismatch: .verificationFailed
        case .malformedKey, .encryptedKey, .keySizeNotAllowed, .wrongAlgorithm, .wrongInput, .operationFailed:
            .invalidParameter
        }
    }
}
