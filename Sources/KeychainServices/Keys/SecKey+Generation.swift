// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainModel
import KeychainObjects

/// Makes a new pair of keys, and stores its halves where that is asked for.
///
/// What the dictionary says is said of both halves, but for what stands under `kSecPrivateKeyAttrs` or
/// `kSecPublicKeyAttrs`, which wins for its half. A half whose `kSecAttrIsPermanent` is true is added to the keychain
/// with its attributes.
///
/// - Parameters:
///   - parameters: `kSecAttrKeyType` and `kSecAttrKeySizeInBits`, and the attributes of the halves.
///   - error: Receives the error on failure, retained for the caller. Pass `nil` to do without.
/// - Returns: The private key; `nil` with `errSecParam` for a type or size that is missing or wrong, with
///   `errSecUnimplemented` for a type or a token that there is not, and with what ``SecItemAdd(_:_:)`` answers.
///
/// RSA keys have 2,048 to 8,192 bits, a multiple of 128; keys of curves have 256, 384 or 521.
///
/// Source: Apple, *SecKeyCreateRandomKey(_:_:)*. Differs: smaller RSA keys, which nobody should make any more, are
/// `errSecParam`; keys of the Secure Enclave are `errSecUnimplemented`. Differs: if the second half cannot be stored,
/// the first is taken out again.
@discardableResult
public func SecKeyCreateRandomKey(
    _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    unsafe reporting(to: error) { try KeyGeneration.pair(parameters).private }
}

/// Makes a new pair of keys and hands over both halves, as ``SecKeyCreateRandomKey(_:_:)`` does with one.
///
/// - Parameters:
///   - parameters: As for the other function.
///   - publicKey: Receives the public key on success.
///   - privateKey: Receives the private key on success.
/// - Returns: `errSecSuccess`, or the status that the other function leaves in its error.
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

/// From the dictionary to two keys, and into the keychain.
private enum KeyGeneration {
    static func pair(_ dictionary: NSDictionary) throws -> (private: SecKey, public: SecKey) {
        try ObjectsTrait.check()
        let parameters = KeyParameters(dictionary)
        let specification = try parameters.specification()
        // Before the work: the dictionaries of the halves may be wrong.
        let privateItem = try parameters.attributes(of: .private)
        let publicItem = try parameters.attributes(of: .public)
        let key = try AsymmetricKey(generating: specification)
        let pair = (private: SecKey(key), public: SecKey(key.publicHalf))
        var changes: [SecItemChange] = []
        for (key, attributes) in [(pair.private, privateItem), (pair.public, publicItem)]
        where try isTrue(attributes.object(named: kSecAttrIsPermanent)) {
            changes.append(.add(item(key, attributes)))
        }
        let status = SecItemApply(changes)
        guard status == errSecSuccess else { throw KeyCallError(status) }
        return pair
    }

    /// What is added for a half that is to be permanent; nothing is returned of it.
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
