// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainObjects

/// Makes a key of the bytes that stand for it.
///
/// An RSA key is a structure of PKCS#1 in DER. A key of a curve is an uncompressed point, and for a private key the
/// scalar after it; the curve follows from the length.
///
/// - Parameters:
///   - keyData: The key and nothing after it.
///   - attributes: `kSecAttrKeyType` and `kSecAttrKeyClass`, as names or numbers; others are not looked at.
///   - error: Receives the error on failure, retained for the caller. Pass `nil` to do without.
/// - Returns: The key; `nil` with `errSecParam` for bytes that are no such key or a missing type or class, and with
///   `errSecUnimplemented` for a type that is not supported.
///
/// Source: Apple, *SecKeyCreateWithData(_:_:_:)*. Differs: RSA keys of less than 1,024 bits or more than 8,192, and
/// the curves P-192 and P-224, are not supported.
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

/// Copies the bytes that stand for a key, in the form that ``SecKeyCreateWithData(_:_:_:)`` takes.
///
/// - Parameters:
///   - key: The key. Of a private one the result is a secret.
///   - error: Receives the error on failure, retained for the caller. Pass `nil` to do without.
/// - Returns: PKCS#1 for RSA; for a curve the point, and the scalar after it.
///
/// Source: Apple, *SecKeyCopyExternalRepresentation(_:_:)*.
@discardableResult
public func SecKeyCopyExternalRepresentation(
    _ key: SecKey,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    ResultData(key.key.storedValue)
}

/// Copies what a key says of itself.
///
/// - Parameter key: The key. Of a private one the result holds the secret, under `kSecValueData`.
/// - Returns: The attributes that an item made of the key has, with flags as Booleans, type and class as text, and
///   `kSecClass`.
///
/// Source: Apple, *SecKeyCopyAttributes(_:)*.
@discardableResult
public func SecKeyCopyAttributes(_ key: SecKey) -> CFDictionary? { key.attributeDictionary }

/// The public half of the pair that a key belongs to.
///
/// - Parameter key: Either half.
/// - Returns: The public key, whose SHA-1 digest is the `kSecAttrApplicationLabel` of both.
///
/// Source: Apple, *SecKeyCopyPublicKey(_:)*.
@discardableResult
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? { SecKey(key.key.publicHalf) }

/// The size of what a key works on, in bytes: that of the modulus, or of a coordinate.
///
/// - Parameter key: Either half.
/// - Returns: The number of bytes.
///
/// Source: Apple, *SecKeyGetBlockSize(_:)*.
@discardableResult
public func SecKeyGetBlockSize(_ key: SecKey) -> Int { key.key.blockSize }

/// Whether a key can do something with an algorithm.
///
/// - Parameters:
///   - key: The key, of the half that the operation needs.
///   - operation: What is to be done.
///   - algorithm: Its name.
/// - Returns: False for a key of another type or half, and for an algorithm that is not offered.
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
