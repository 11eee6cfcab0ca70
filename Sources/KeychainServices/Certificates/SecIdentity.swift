// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainModel
import KeychainObjects

/// A certificate and the private key for its public key.
///
/// Identities are not stored: a stored certificate and a stored private key that match form an identity. Two
/// identities are equal if their certificates are equal and their private keys are equal.
public final class SecIdentity: NSObject, Sendable {
    let certificate: SecCertificate
    let privateKey: SecKey

    /// Combines a certificate and its private key; `nil` if they do not match.
    init?(_ certificate: SecCertificate, _ privateKey: SecKey) {
        guard Identity(certificate.content, privateKey.key) != nil else { return nil }
        self.certificate = certificate
        self.privateKey = privateKey
    }

    init(_ identity: Identity) {
        certificate = SecCertificate(identity.certificate)
        privateKey = SecKey(identity.privateKey)
    }

    /// Whether the other object is an identity with the same certificate and key.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SecIdentity else { return false }
        return certificate.isEqual(other.certificate) && privateKey.isEqual(other.privateKey)
    }

    /// A hash value, which is the same for equal identities.
    public override var hash: Int { certificate.hash }
}

/// Creates an identity from a certificate and its private key, which need not be in the keychain.
///
/// - Parameters:
///   - allocator: Pass `nil` or `kCFAllocatorDefault`.
///   - certificate: The certificate.
///   - privateKey: The private key of the certificate's public key.
/// - Returns: The identity; `nil` if the key is a public key or does not match the certificate.
///
/// Source: Apple's published Security sources.
@discardableResult
public func SecIdentityCreate(
    _ allocator: CFAllocator?,
    _ certificate: SecCertificate,
    _ privateKey: SecKey
) -> SecIdentity? {
    SecIdentity(certificate, privateKey)
}

/// Creates an identity by finding a certificate's private key in the keychain.
///
/// - Parameters:
///   - keychainOrArray: Pass `nil`.
///   - certificateRef: The certificate, which need not be in the keychain.
///   - identityRef: Receives the identity, unchanged on failure. May be `nil`.
/// - Returns: `errSecSuccess`; `errSecItemNotFound` if the private key is missing or cannot be decoded;
///   `errSecParam` if `keychainOrArray` is not `nil`; otherwise the status of ``SecItemCopyMatching(_:_:)``,
///   which may prompt the user.
///
/// Source: Apple, *SecIdentityCreateWithCertificate(_:_:_:)*, of macOS. Differs: a specific keychain cannot
/// be selected.
@discardableResult
public func SecIdentityCreateWithCertificate(
    _ keychainOrArray: CFTypeRef?,
    _ certificateRef: SecCertificate,
    _ identityRef: UnsafeMutablePointer<SecIdentity?>?
) -> OSStatus {
    guard keychainOrArray == nil else { return errSecParam }
    let query: NSDictionary = [
        kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
        kSecAttrApplicationLabel: NSData(data: certificateRef.content.publicKeyDigest),
        kSecReturnRef: kCFBooleanTrue as Any,
        kSecAttrSynchronizable: kSecAttrSynchronizableAny,
    ]
    var found: CFTypeRef?
    let status = unsafe SecItemCopyMatching(query, &found)
    guard status == errSecSuccess else { return status }
    guard let key = found as? SecKey, let identity = SecIdentity(certificateRef, key) else {
        return errSecItemNotFound
    }
    unsafe identityRef?.pointee = identity
    return errSecSuccess
}

/// Returns the certificate of an identity.
///
/// - Parameters:
///   - identityRef: The identity.
///   - certificateRef: Receives the certificate.
/// - Returns: `errSecSuccess`.
///
/// Source: Apple, *SecIdentityCopyCertificate(_:_:)*.
@discardableResult
public func SecIdentityCopyCertificate(
    _ identityRef: SecIdentity,
    _ certificateRef: UnsafeMutablePointer<SecCertificate?>
) -> OSStatus {
    unsafe certificateRef.pointee = identityRef.certificate
    return errSecSuccess
}

/// Returns the private key of an identity.
///
/// - Parameters:
///   - identityRef: The identity.
///   - privateKeyRef: Receives the private key.
/// - Returns: `errSecSuccess`.
///
/// Source: Apple, *SecIdentityCopyPrivateKey(_:_:)*.
@discardableResult
public func SecIdentityCopyPrivateKey(
    _ identityRef: SecIdentity,
    _ privateKeyRef: UnsafeMutablePointer<SecKey?>
) -> OSStatus {
    unsafe privateKeyRef.pointee = identityRef.privateKey
    return errSecSuccess
}
