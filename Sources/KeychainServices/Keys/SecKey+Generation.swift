// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainModel
import KeychainObjects
import KeychainUserPresence

/// Generates a key pair, and optionally stores its keys.
///
/// Attributes in `parameters` apply to both keys; attributes in the dictionaries `kSecPrivateKeyAttrs` and
/// `kSecPublicKeyAttrs` override them for one key. A key whose `kSecAttrIsPermanent` is true is added to the
/// keychain with its attributes.
///
/// - Parameters:
///   - parameters: `kSecAttrKeyType` and `kSecAttrKeySizeInBits`, and the attributes of the keys.
///   - error: Receives the error on failure, retained for the caller. May be `nil`.
/// - Returns: The private key; `nil` with `errSecParam` for a missing or invalid type or size, with
///   `errSecUnimplemented` for an unsupported type or token or without the package trait `Objects`, and with
///   the statuses of ``SecItemAdd(_:_:)``.
///
/// RSA keys have 2,048 to 8,192 bits, in multiples of 128; elliptic-curve keys have 256, 384 or 521.
///
/// Source: Apple, *SecKeyCreateRandomKey(_:_:)*. Differs: smaller RSA keys, which are insecure, are rejected
/// with `errSecParam`. A Secure Enclave key is created and kept by the daemon securityd and is always
/// permanent; without the daemon, the call fails with `errSecUnimplemented`. Differs: if one of the keys cannot
/// be stored, neither is.
@discardableResult
public func SecKeyCreateRandomKey(
    _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    unsafe reporting(to: error) { try KeyGeneration.pair(parameters).private }
}

/// Generates a key pair and returns both keys; see ``SecKeyCreateRandomKey(_:_:)``.
///
/// - Parameters:
///   - parameters: As for ``SecKeyCreateRandomKey(_:_:)``.
///   - publicKey: Receives the public key on success.
///   - privateKey: Receives the private key on success.
/// - Returns: `errSecSuccess`, or the status of the error of ``SecKeyCreateRandomKey(_:_:)``.
///
/// Source: Apple, *SecKeyGeneratePair(_:_:_:)*.
@discardableResult
public func SecKeyGeneratePair(
    _ parameters: CFDictionary,
    _ publicKey: UnsafeMutablePointer<SecKey?>?,
    _ privateKey: UnsafeMutablePointer<SecKey?>?
) -> OSStatus {
    do {
        let pair = try KeyGeneration.pair(parameters)
        unsafe publicKey?.pointee = pair.public
        unsafe privateKey?.pointee = pair.private
        return errSecSuccess
    } catch {
        return KeyCallError(error).status
    }
}

/// Generates a key pair from a dictionary and stores its permanent keys.
private enum KeyGeneration {
    static func pair(_ dictionary: NSDictionary) throws -> (private: SecKey, public: SecKey) {
        try ObjectsTrait.check()
        let parameters = KeyParameters(dictionary)
        let isInToken = try parameters.isInToken()
        let specification = try parameters.specification()
        // Parse the dictionaries of both keys before generating a key: they may be invalid, and generating takes
        // long.
        let privateItem = try parameters.attributes(of: .private)
        let publicItem = try parameters.attributes(of: .public)
        guard !isInToken else { return try pairInToken(privateItem, publicItem) }
        let key = try AsymmetricKey(generating: specification)
        let pair = (private: SecKey(key), public: SecKey(key.publicHalf))
        try store([(pair.private, privateItem), (pair.public, publicItem)])
        return pair
    }

    /// Lets securityd create and keep a private key, and stores the public key if it is permanent.
    private static func pairInToken(
        _ privateItem: NSMutableDictionary,
        _ publicItem: NSMutableDictionary
    ) throws -> (private: SecKey, public: SecKey) {
        // A key that securityd keeps exists only as a keychain item, so `kSecAttrIsPermanent` cannot be false.
        if let permanent = privateItem.object(named: kSecAttrIsPermanent), try !isTrue(permanent) {
            throw KeyCallError(errSecUnimplemented)
        }
        privateItem[kSecAttrIsPermanent] = true
        privateItem[kSecClass] = kSecClassKey
        for key in [
            kSecAttrTokenID, kSecReturnPersistentRef, kSecReturnRef, kSecReturnData, kSecReturnAttributes,
        ] {
            privateItem[key] = nil
        }
        publicItem[kSecAttrTokenID] = nil
        let (item, context) = try ItemCall.makeTokenKey(privateItem)
        guard let key = item.secret.flatMap({ AsymmetricKey(stored: $0, attributes: item.attributes) })
        else { throw KeyCallError(errSecInternal) }
        let tokenItem = TokenItem(item: item.reference, context: context)
        let pair = (private: SecKey(key, inToken: tokenItem), public: SecKey(key.publicHalf))
        do {
            try store([(pair.public, publicItem)])
        } catch {
            _ = try? ItemCall.delete(
                [kSecValuePersistentRef: ResultData(item.reference.bytes)] as NSDictionary
            )
            throw error
        }
        return pair
    }

    /// Adds the permanent keys to the keychain; none of them if one cannot be added.
    private static func store(_ keys: [(key: SecKey, attributes: NSMutableDictionary)]) throws {
        var items: [CFDictionary] = []
        for (key, attributes) in keys where try isTrue(attributes.object(named: kSecAttrIsPermanent)) {
            items.append(item(key, attributes))
        }
        let status = SecItemAddTogether(items)
        guard status == errSecSuccess else { throw KeyCallError(status) }
    }

    /// Returns the dictionary for adding a permanent key, without return keys.
    private static func item(_ key: SecKey, _ attributes: NSMutableDictionary) -> NSDictionary {
        attributes[kSecValueRef] = key
        for key in [kSecReturnPersistentRef, kSecReturnRef, kSecReturnData, kSecReturnAttributes] {
            attributes[key] = nil
        }
        return attributes
    }

    private static func isTrue(_ object: Any?) throws -> Bool {
        guard let object else { return false }
        let value = try AttributeKind.number.convert(SuppliedValue(object), for: .isPermanent)
        guard case .number(let number) = value else { throw KeyCallError(errSecParam) }
        return number != 0
    }
}
