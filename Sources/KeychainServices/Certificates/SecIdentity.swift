// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainModel
import KeychainObjects

/// A certificate together with the private key of its public key.
///
/// No identity is stored: each pair of items that fit is one. Two of them are equal if both halves are.
public final class SecIdentity: NSObject, Sendable {
    let certificate: SecCertificate
    let privateKey: SecKey

    /// Joins two halves; `nil` where the key is not the private key of the certificate.
    init?(_ certificate: SecCertificate, _ privateKey: SecKey) {
        guard Identity(certificate.content, privateKey.key) != nil else { return nil }
        self.certificate = certificate
        self.privateKey = privateKey
    }

    init(_ identity: Identity) {
        certificate = SecCertificate(identity.certificate)
        privateKey = SecKey(identity.privateKey)
    }

    /// Whether the other object is an identity of equal halves.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SecIdentity else { return false }
        return certificate.isEqual(other.certificate) && privateKey.isEqual(other.privateKey)
    }

    /// A number that equal identities share.
    public override var hash: Int { certificate.hash }
}

/// Joins a certificate and a private key, neither of which needs to be in a keychain.
///
/// - Parameters:
///   - allocator: Pass `nil` or `kCFAllocatorDefault`.
///   - certificate: The certificate.
///   - privateKey: The private key of the certificate's public key.
/// - Returns: The identity; `nil` where the key is another's, or a public one.
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

/// Finds the private key of a certificate in the keychain and joins the two.
///
/// - Parameters:
///   - keychainOrArray: Pass `nil`.
///   - certificateRef: The certificate, which needs not be in the keychain itself.
///   - identityRef: Receives the identity, or is left alone on failure. Pass `nil` to do without.
/// - Returns: `errSecSuccess`; `errSecItemNotFound` if the key is not there, or what is there makes no key;
///   `errSecParam` if `keychainOrArray` is not `nil`; otherwise what ``SecItemCopyMatching(_:_:)`` answers, which may
///   ask the user.
///
/// Source: Apple, *SecIdentityCreateWithCertificate(_:_:_:)*, of macOS. Differs: there are no keychains to choose from.
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

/// Gives the certificate of an identity.
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

/// Gives the private key of an identity.
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
