// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// Why a key could not be made or used: closed, so that it can hold nothing of the key.
package enum AsymmetricKeyError: Error, Hashable, Sendable {
    /// The bytes are no key of the kind.
    case malformedKey
    /// A key of a type, or on a curve, that is not supported.
    case unsupportedKey
    /// The file holds a key under a passphrase.
    case encryptedKey
    /// No key of this size can be made.
    case keySizeNotAllowed
    /// The algorithm is not for this type or half of a key.
    case wrongAlgorithm
    /// The algorithm is known, and nothing here computes it.
    case algorithmNotOffered
    /// The input, a parameter or the other key does not fit the algorithm.
    case wrongInput
    /// The signature is not one of this key for this input.
    case signatureMismatch
    /// The operation did not succeed; of a decryption no more is said.
    case operationFailed
}

extension AsymmetricKeyError {
    /// Turns whatever a library throws into one error, where it enters.
    static func catching<Result>(
        _ other: AsymmetricKeyError,
        _ body: () throws -> Result
    ) throws(AsymmetricKeyError) -> Result {
        do { return try body() } catch let own as AsymmetricKeyError { throw own } catch { throw other }
    }

    /// The status that a program gets.
    ///
    /// Source: Apple's published Security sources, where everything but a wrong signature is `errSecParam`.
    package var status: Status {
        switch self {
        case .algorithmNotOffered, .unsupportedKey: .unimplemented
        case .signatureMismatch: .verificationFailed
        case .malformedKey, .encryptedKey, .keySizeNotAllowed, .wrongAlgorithm, .wrongInput, .operationFailed:
            .invalidParameter
        }
    }
}
