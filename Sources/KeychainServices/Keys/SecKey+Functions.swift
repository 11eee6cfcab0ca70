// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainObjects

/// Creates a key from its external representation.
///
/// An RSA key is PKCS#1 in DER. An elliptic-curve key is an uncompressed point, followed by the scalar for a
/// private key; the curve is determined by the length.
///
/// - Parameters:
///   - keyData: The key, without trailing data.
///   - attributes: `kSecAttrKeyType` and `kSecAttrKeyClass`, as names or numbers; other keys are ignored.
///   - error: Receives the error on failure, retained for the caller. May be `nil`.
/// - Returns: The key; `nil` with `errSecParam` for malformed data, an RSA key of an unsupported size, or a missing
///   type or class, and with `errSecUnimplemented` for an unsupported type or curve, or without the package trait
///   `Objects`.
///
/// Source: Apple, *SecKeyCreateWithData(_:_:_:)*. Differs: RSA keys of less than 1,024 or more than 8,192
/// bits, and the curves P-192 and P-224, are not supported.
@discardableResult
public func SecKeyCreateWithData(
    _ keyData: CFData,
    _ attributes: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    unsafe reporting(to: error) {
        try ObjectsTrait.check()
        let parameters = KeyParameters(attributes)
        let type = try parameters.type()
        var bytes = keyData.bytesCopied
        defer { bytes.erase() }
        return SecKey(try AsymmetricKey(type, parameters.half(), representation: bytes))
    }
}

/// Copies the external representation of a key, for ``SecKeyCreateWithData(_:_:_:)``.
///
/// - Parameters:
///   - key: The key. The representation of a private key is secret.
///   - error: Receives the error on failure, retained for the caller. May be `nil`.
/// - Returns: PKCS#1 for RSA; for a curve the point, followed by the scalar for a private key; 32 bytes for
///   Ed25519. `nil` with `errSecUnimplemented` for a private key in the Secure Enclave, which cannot be exported.
///
/// Source: Apple, *SecKeyCopyExternalRepresentation(_:_:)*.
@discardableResult
public func SecKeyCopyExternalRepresentation(
    _ key: SecKey,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe reporting(to: error) {
        guard !key.key.isInToken else { throw KeyCallError(errSecUnimplemented) }
        return ResultData(key.key.storedValue)
    }
}

/// Copies the attributes of a key.
///
/// - Parameter key: The key. For a private key outside the Secure Enclave, the result contains the secret,
///   under `kSecValueData`.
/// - Returns: The attributes of an item created from the key, with flags as Booleans, type and class as
///   strings, and `kSecClass`.
///
/// Source: Apple, *SecKeyCopyAttributes(_:)*.
@discardableResult
public func SecKeyCopyAttributes(_ key: SecKey) -> CFDictionary? { key.attributeDictionary }

/// Returns the public key of the pair to which a key belongs.
///
/// - Parameter key: The public or private key.
/// - Returns: The public key. Its SHA-1 digest is the `kSecAttrApplicationLabel` of both keys of the pair.
///
/// Source: Apple, *SecKeyCopyPublicKey(_:)*.
@discardableResult
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? { SecKey(key.key.publicHalf) }

/// Returns the block size of a key: the size of the RSA modulus or of a coordinate.
///
/// - Parameter key: The public or private key.
/// - Returns: The number of bytes.
///
/// Source: Apple, *SecKeyGetBlockSize(_:)*.
@discardableResult
public func SecKeyGetBlockSize(_ key: SecKey) -> Int { key.key.blockSize }

/// Whether a key supports an operation with an algorithm.
///
/// - Parameters:
///   - key: The public or private key, as the operation requires.
///   - operation: The operation.
///   - algorithm: The algorithm.
/// - Returns: Whether it does; `false`, for example, for a key of another type or class, for an RSA key that is too
///   short for the algorithm, and for an unimplemented algorithm.
///
/// Source: Apple, *SecKeyIsAlgorithmSupported(_:_:_:)*.
@discardableResult
public func SecKeyIsAlgorithmSupported(
    _ key: SecKey,
    _ operation: SecKeyOperationType,
    _ algorithm: SecKeyAlgorithm
) -> Bool {
    guard let row = algorithm.row, let operation = KeyAlgorithm.Operation(rawValue: operation.rawValue) else {
        return false
    }
    return key.key.supports(operation, with: row)
}
