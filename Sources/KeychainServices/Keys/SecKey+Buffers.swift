// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainObjects

/// A signature is wrong: what ``SecKeyRawVerify(_:_:_:_:_:_:)`` has for `errSecVerifyFailed`.
public let errSSLCrypto: OSStatus = -9809

/// Signs a digest; deprecated on Apple's platforms in favour of ``SecKeyCreateSignature(_:_:_:_:)``.
///
/// - Parameters:
///   - key: A private key.
///   - padding: What the digest is and what goes around it.
///   - dataToSign: The digest; nothing is hashed here.
///   - dataToSignLen: Its size in bytes.
///   - sig: Where the signature goes; ``SecKeyGetBlockSize(_:)`` bytes are enough for RSA, 140 for every curve.
///   - sigLen: The room there in bytes; receives the size of the signature. It is left alone if there is too little.
/// - Returns: `errSecSuccess`, `errSecParam` for a padding that the key does not have, a digest of another size, a
///   public key or too little room, and `errSecUnimplemented` for what is not offered, such as RSA over bytes of any kind.
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

/// Checks the signature of a digest; deprecated on Apple's platforms in favour of
/// ``SecKeyVerifySignature(_:_:_:_:_:)``.
///
/// - Parameters:
///   - key: The public key of who has signed.
///   - padding: What the digest is and what is around it.
///   - signedData: The digest; nothing is hashed here.
///   - signedDataLen: Its size in bytes.
///   - sig: The signature.
///   - sigLen: Its size in bytes.
/// - Returns: `errSecSuccess`, ``errSSLCrypto`` for a wrong signature, and else as
///   ``SecKeyRawSign(_:_:_:_:_:_:)``.
///
/// Source: Apple, *SecKeyRawVerify(_:_:_:_:_:_:)*; the status of a wrong signature, Apple's published Security sources.
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

/// Encrypts less than a block; deprecated on Apple's platforms in favour of
/// ``SecKeyCreateEncryptedData(_:_:_:_:)``.
///
/// - Parameters:
///   - key: The public key, of RSA.
///   - padding: ``SecPadding/PKCS1`` or ``SecPadding/OAEP``.
///   - plainText: What to encrypt.
///   - plainTextLen: Its size in bytes: at most 11 less than ``SecKeyGetBlockSize(_:)``, or 42 less with OAEP.
///   - cipherText: Where the ciphertext goes: ``SecKeyGetBlockSize(_:)`` bytes.
///   - cipherTextLen: The room there in bytes; receives the size of the ciphertext. It is left alone if there is too
///     little.
/// - Returns: As ``SecKeyRawSign(_:_:_:_:_:_:)``.
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

/// Decrypts a block; deprecated on Apple's platforms in favour of ``SecKeyCreateDecryptedData(_:_:_:_:)``.
///
/// - Parameters:
///   - key: The private key, of RSA.
///   - padding: ``SecPadding/PKCS1`` or ``SecPadding/OAEP``.
///   - cipherText: What to decrypt.
///   - cipherTextLen: Its size in bytes.
///   - plainText: Where the plaintext goes: never more than ``SecKeyGetBlockSize(_:)`` bytes.
///   - plainTextLen: The room there in bytes; receives the size of the plaintext. It is left alone if there is too
///     little.
/// - Returns: As ``SecKeyRawSign(_:_:_:_:_:_:)``.
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

/// Has a function of today do the work, and leaves the result in the caller's memory.
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

/// A copy of the caller's bytes; `nil` for a size that is none.
private func bytes(_ memory: UnsafePointer<UInt8>, _ count: Int) -> CFData? {
    count < 0 ? nil : unsafe NSData(bytes: memory, length: count)
}

extension Unmanaged<CFError>? {
    /// The status of an error that a function has left, which is released; without one the arguments were wrong.
    fileprivate var status: OSStatus {
        unsafe self.map { unsafe OSStatus(truncatingIfNeeded: $0.takeRetainedValue().code) } ?? errSecParam
    }
}
