// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainObjects

/// Signs a message or a digest.
///
/// - Parameters:
///   - key: A private key.
///   - algorithm: The algorithm; its name says whether it wants the message or its digest.
///   - dataToSign: The one or the other. A digest must have the size of its hash; ECDSA uses as many bits of it as
///     the curve has.
///   - error: Receives the error on failure, retained for the caller. Pass `nil` to do without.
/// - Returns: The signature; `nil` with `errSecParam` if key, algorithm and input do not fit each other, and with
///   `errSecUnimplemented` for an algorithm that is not offered.
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
        NSData(data: try key.key.signature(of: dataToSign.bytesCopied, by: algorithm.knownRow()))
    }
}

/// Checks a signature.
///
/// - Parameters:
///   - key: The public key of who has signed.
///   - algorithm: The algorithm by which it was signed.
///   - signedData: What was signed: the message or its digest, as the algorithm says.
///   - signature: The signature.
///   - error: Receives the error on failure, retained for the caller. Pass `nil` to do without.
/// - Returns: Whether the signature is valid; if not, with `errSecVerifyFailed`. False with `errSecParam` if key,
///   algorithm and input do not fit each other, and with `errSecUnimplemented` for an algorithm that is not offered.
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

/// Encrypts to the holder of the private key.
///
/// - Parameters:
///   - key: The public key.
///   - algorithm: The algorithm. RSA by itself takes less than a block; the algorithms with AES-GCM take any amount.
///   - plaintext: What to encrypt.
///   - error: Receives the error on failure, retained for the caller. Pass `nil` to do without.
/// - Returns: The ciphertext; `nil` with `errSecParam` if key, algorithm and plaintext do not fit each other, and
///   with `errSecUnimplemented` for an algorithm that is not offered.
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

/// Decrypts what was encrypted with the public key.
///
/// - Parameters:
///   - key: The private key.
///   - algorithm: The algorithm by which it was encrypted.
///   - ciphertext: What to decrypt.
///   - error: Receives the error on failure, retained for the caller. Pass `nil` to do without.
/// - Returns: The plaintext; `nil` with `errSecParam` whatever is wrong with the ciphertext, and with
///   `errSecUnimplemented` for an algorithm that is not offered.
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

/// Agrees on a secret with the holder of another pair.
///
/// - Parameters:
///   - privateKey: One's own private key.
///   - algorithm: The algorithm. Without a hash in its name the result is the coordinate that both sides compute,
///     which is not yet fit to be a key.
///   - publicKey: The other's public key, on the same curve.
///   - parameters: `requestedSize`, the size in bytes of what is derived, needed for an algorithm with a hash; and
///     `sharedInfo`, data, if any.
///   - error: Receives the error on failure, retained for the caller. Pass `nil` to do without.
/// - Returns: The secret; `nil` with `errSecParam` if the keys, the algorithm and the parameters do not fit each
///   other, and with `errSecUnimplemented` for an algorithm that is not offered.
///
/// Source: Apple, *SecKeyCopyKeyExchangeResult(_:_:_:_:_:)*. Differs: no more than 1 MiB is derived.
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
            try privateKey.key.secret(
                with: publicKey.key,
                by: algorithm.knownRow(),
                size: exchange.requestedSize,
                sharedInformation: exchange.sharedInformation
            )
        )
    }
}
