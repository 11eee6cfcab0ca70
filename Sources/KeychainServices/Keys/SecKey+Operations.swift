// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainObjects

/// Signs a message or a digest.
///
/// - Parameters:
///   - key: A private key.
///   - algorithm: The algorithm, whose name specifies whether to sign a message or a digest.
///   - dataToSign: The message or digest. A digest must have the size of the algorithm's hash function; ECDSA
///     truncates it to the size of the curve if it is longer.
///   - error: Receives the error on failure, retained for the caller. May be `nil`.
/// - Returns: The signature; `nil` with `errSecParam` if key, algorithm and input are incompatible, with
///   `errSecUnimplemented` for an unimplemented algorithm, and, for a key in the Secure Enclave, with the
///   statuses of ``SecItemCopyMatching(_:_:)``.
///
/// Source: Apple, *SecKeyCreateSignature(_:_:_:_:)*.
@discardableResult
public func SecKeyCreateSignature(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ dataToSign: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe reporting(to: error) {
        NSData(data: try key.signature(of: dataToSign.bytesCopied, by: algorithm.knownRow()))
    }
}

/// Verifies a signature.
///
/// - Parameters:
///   - key: The signer's public key.
///   - algorithm: The signature algorithm.
///   - signedData: The signed message or digest, depending on the algorithm.
///   - signature: The signature.
///   - error: Receives the error on failure, retained for the caller. May be `nil`.
/// - Returns: Whether the signature is valid. If not, `error` receives `errSecVerifyFailed`; `errSecParam` if
///   key, algorithm and input are incompatible; or `errSecUnimplemented` for an unimplemented algorithm.
///
/// Source: Apple, *SecKeyVerifySignature(_:_:_:_:_:)*.
@discardableResult
public func SecKeyVerifySignature(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ signedData: CFData,
    _ signature: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> Bool {
    unsafe reporting(to: error) {
        try key.key.verify(signature.bytesCopied, of: signedData.bytesCopied, by: algorithm.knownRow())
    } != nil
}

/// Encrypts with a public key.
///
/// - Parameters:
///   - key: The public key.
///   - algorithm: The algorithm. RSA without AES-GCM encrypts less than one block; with AES-GCM there is no limit.
///   - plaintext: The plaintext.
///   - error: Receives the error on failure, retained for the caller. May be `nil`.
/// - Returns: The ciphertext; `nil` with `errSecParam` if key, algorithm and plaintext are incompatible, and
///   with `errSecUnimplemented` for an unimplemented algorithm.
///
/// Source: Apple, *SecKeyCreateEncryptedData(_:_:_:_:)*.
@discardableResult
public func SecKeyCreateEncryptedData(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ plaintext: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe reporting(to: error) {
        NSData(data: try key.key.encrypt(plaintext.bytesCopied, by: algorithm.knownRow()))
    }
}

/// Decrypts with a private key.
///
/// - Parameters:
///   - key: The private key.
///   - algorithm: The encryption algorithm.
///   - ciphertext: The ciphertext.
///   - error: Receives the error on failure, retained for the caller. May be `nil`.
/// - Returns: The plaintext; `nil` with `errSecParam` for any decryption failure, and with
///   `errSecUnimplemented` for an unimplemented algorithm.
///
/// Source: Apple, *SecKeyCreateDecryptedData(_:_:_:_:)*.
@discardableResult
public func SecKeyCreateDecryptedData(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ ciphertext: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe reporting(to: error) {
        ResultData.taking(try key.key.decrypt(ciphertext.bytesCopied, by: algorithm.knownRow()))
    }
}

/// Computes a shared secret with another party's public key.
///
/// - Parameters:
///   - privateKey: The private key.
///   - algorithm: The algorithm. If its name contains no hash function, the result is the x coordinate of the
///     shared point, which must not be used as a key directly.
///   - publicKey: The other party's public key, on the same curve.
///   - parameters: `requestedSize`, the size of the derived secret in bytes, required if the algorithm has a hash;
///     and optionally `sharedInfo`, as data.
///   - error: Receives the error on failure, retained for the caller. May be `nil`.
/// - Returns: The secret; `nil` with `errSecParam` if the keys, algorithm and parameters are incompatible,
///   with `errSecUnimplemented` for an unimplemented algorithm, and, for a private key in the Secure Enclave,
///   with the statuses of ``SecItemCopyMatching(_:_:)``.
///
/// Source: Apple, *SecKeyCopyKeyExchangeResult(_:_:_:_:_:)*. Differs: at most 1 MiB is derived.
@discardableResult
public func SecKeyCopyKeyExchangeResult(
    _ privateKey: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ publicKey: SecKey,
    _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe reporting(to: error) {
        let exchange = try ExchangeParameters(parameters)
        return ResultData.taking(
            try privateKey.secret(with: publicKey, by: algorithm.knownRow(), exchange)
        )
    }
}
