// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainObjects

/// The status that ``SecKeyRawVerify(_:_:_:_:_:_:)`` returns for an invalid signature.
public let errSSLCrypto: OSStatus = -9809

/// Signs a digest; deprecated by Apple.
///
/// Use ``SecKeyCreateSignature(_:_:_:_:)``.
///
/// - Parameters:
///   - key: A private key.
///   - padding: The padding and the type of the digest.
///   - dataToSign: The digest, which is not hashed again.
///   - dataToSignLen: The size of the digest in bytes.
///   - sig: The buffer for the signature; ``SecKeyGetBlockSize(_:)`` bytes are enough for RSA, 140 for every curve.
///   - sigLen: The size of the buffer in bytes; receives the size of the signature. Unchanged if the buffer
///     is too small.
/// - Returns: `errSecSuccess`; `errSecParam` for a padding that the key does not support, a digest of the
///   wrong size, a public key or a buffer that is too small; `errSecUnimplemented` for unimplemented
///   algorithms, such as RSA over arbitrary bytes; for a key in the Secure Enclave, also the statuses of
///   ``SecItemCopyMatching(_:_:)``.
///
/// Source: Apple, *SecKeyRawSign(_:_:_:_:_:_:)*, as on iOS, where the bytes are the digest.
@discardableResult
public func SecKeyRawSign(
    _ key: SecKey,
    _ padding: SecPadding,
    _ dataToSign: UnsafePointer<UInt8>,
    _ dataToSignLen: Int,
    _ sig: UnsafeMutablePointer<UInt8>,
    _ sigLen: UnsafeMutablePointer<Int>
) -> OSStatus {
    let algorithm = padding.signature(with: key.key.type, ofBytes: dataToSignLen)
    return unsafe perform(
        SecKeyCreateSignature,
        key,
        algorithm,
        bytes(dataToSign, dataToSignLen),
        sig,
        sigLen
    )
}

/// Verifies the signature of a digest; deprecated by Apple.
///
/// Use ``SecKeyVerifySignature(_:_:_:_:_:)``.
///
/// - Parameters:
///   - key: The signer's public key.
///   - padding: The padding and the type of the digest.
///   - signedData: The digest, which is not hashed again.
///   - signedDataLen: The size of the digest in bytes.
///   - sig: The signature.
///   - sigLen: The size of the signature in bytes.
/// - Returns: `errSecSuccess`; ``errSSLCrypto`` for an invalid signature; `errSecParam` for a padding that the key
///   does not support, a digest of the wrong size or a private key; `errSecUnimplemented` for unimplemented
///   algorithms.
///
/// Source: Apple, *SecKeyRawVerify(_:_:_:_:_:_:)*; for the status of an invalid signature, Apple's published
/// Security sources.
@discardableResult
public func SecKeyRawVerify(
    _ key: SecKey,
    _ padding: SecPadding,
    _ signedData: UnsafePointer<UInt8>,
    _ signedDataLen: Int,
    _ sig: UnsafePointer<UInt8>,
    _ sigLen: Int
) -> OSStatus {
    guard let algorithm = padding.signature(with: key.key.type, ofBytes: signedDataLen),
        let signed = unsafe bytes(signedData, signedDataLen), let signature = unsafe bytes(sig, sigLen)
    else { return errSecParam }
    var error: Unmanaged<CFError>?
    if unsafe SecKeyVerifySignature(key, algorithm, signed, signature, &error) { return errSecSuccess }
    let status = unsafe error.status
    return status == errSecVerifyFailed ? errSSLCrypto : status
}

/// Encrypts data smaller than an RSA block; deprecated by Apple.
///
/// Use ``SecKeyCreateEncryptedData(_:_:_:_:)``.
///
/// - Parameters:
///   - key: The RSA public key.
///   - padding: ``SecPadding/PKCS1`` or ``SecPadding/OAEP``.
///   - plainText: The plaintext.
///   - plainTextLen: The size of the plaintext in bytes: at most ``SecKeyGetBlockSize(_:)`` minus 11, or minus
///     42 with OAEP.
///   - cipherText: The buffer for the ciphertext: ``SecKeyGetBlockSize(_:)`` bytes.
///   - cipherTextLen: The size of the buffer in bytes; receives the size of the ciphertext. Unchanged if the
///     buffer is too small.
/// - Returns: `errSecSuccess`; `errSecParam` for a padding that the key does not support, a private key, a
///   plaintext that is too long or a buffer that is too small; `errSecUnimplemented` for unimplemented algorithms.
///
/// Source: Apple, *SecKeyEncrypt(_:_:_:_:_:_:)*.
@discardableResult
public func SecKeyEncrypt(
    _ key: SecKey,
    _ padding: SecPadding,
    _ plainText: UnsafePointer<UInt8>,
    _ plainTextLen: Int,
    _ cipherText: UnsafeMutablePointer<UInt8>,
    _ cipherTextLen: UnsafeMutablePointer<Int>
) -> OSStatus {
    let algorithm = padding.encryption(with: key.key.type)
    return unsafe perform(
        SecKeyCreateEncryptedData,
        key,
        algorithm,
        bytes(plainText, plainTextLen),
        cipherText,
        cipherTextLen
    )
}

/// Decrypts an RSA block; deprecated by Apple.
///
/// Use ``SecKeyCreateDecryptedData(_:_:_:_:)``.
///
/// - Parameters:
///   - key: The RSA private key.
///   - padding: ``SecPadding/PKCS1`` or ``SecPadding/OAEP``.
///   - cipherText: The ciphertext.
///   - cipherTextLen: The size of the ciphertext in bytes.
///   - plainText: The buffer for the plaintext: never more than ``SecKeyGetBlockSize(_:)`` bytes.
///   - plainTextLen: The size of the buffer in bytes; receives the size of the plaintext. Unchanged if the
///     buffer is too small.
/// - Returns: `errSecSuccess`; `errSecParam` for a padding that the key does not support, a public key, a
///   ciphertext that cannot be decrypted or a buffer that is too small; `errSecUnimplemented` for unimplemented
///   algorithms.
///
/// Source: Apple, *SecKeyDecrypt(_:_:_:_:_:_:)*.
@discardableResult
public func SecKeyDecrypt(
    _ key: SecKey,
    _ padding: SecPadding,
    _ cipherText: UnsafePointer<UInt8>,
    _ cipherTextLen: Int,
    _ plainText: UnsafeMutablePointer<UInt8>,
    _ plainTextLen: UnsafeMutablePointer<Int>
) -> OSStatus {
    let algorithm = padding.encryption(with: key.key.type)
    return unsafe perform(
        SecKeyCreateDecryptedData,
        key,
        algorithm,
        bytes(cipherText, cipherTextLen),
        plainText,
        plainTextLen
    )
}

/// Calls a `SecKey` function that returns data, and copies the data into the caller's buffer.
private func perform(
    _ function: (SecKey, SecKeyAlgorithm, CFData, UnsafeMutablePointer<Unmanaged<CFError>?>?) -> CFData?,
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm?,
    _ input: CFData?,
    _ memory: UnsafeMutablePointer<UInt8>,
    _ room: UnsafeMutablePointer<Int>
) -> OSStatus {
    guard let algorithm, let input else { return errSecParam }
    var error: Unmanaged<CFError>?
    guard let result = unsafe function(key, algorithm, input, &error) else { return unsafe error.status }
    guard unsafe result.length <= room.pointee else { return errSecParam }
    unsafe result.getBytes(memory, length: result.length)
    unsafe room.pointee = result.length
    return errSecSuccess
}

/// Copies the caller's bytes; `nil` for a negative size.
private func bytes(_ memory: UnsafePointer<UInt8>, _ count: Int) -> CFData? {
    count < 0 ? nil : unsafe NSData(bytes: memory, length: count)
}

extension Unmanaged<CFError>? {
    /// The status of the error object, which is released; `errSecParam` if there is no object.
    fileprivate var status: OSStatus {
        unsafe self.map { unsafe OSStatus(truncatingIfNeeded: $0.takeRetainedValue().code) } ?? errSecParam
    }
}
