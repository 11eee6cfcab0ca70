// SPDX-License-Identifier: Apache-2.0

import KeychainModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A public or private key of a key pair.
///
/// A key is identified by its type, whether it is public or private (its half of the key pair), its size, its public
/// key, its tag and its access group. The secret of the item is the key itself: an RSA key in PKCS #1 format, or for an
/// elliptic curve the uncompressed point (X9.63), followed by the scalar if the key is private.
public struct Key: KeychainItem {
    /// The types of keys.
    public enum KeyType: Hashable, Sendable {
        case rsa, ellipticCurve
    }

    /// The halves of a key pair.
    public enum Half: Hashable, Sendable {
        case `public`, `private`
    }

    /// The stored attributes of the item.
    public var content: ItemContent

    /// Creates an item from stored attributes.
    public init(content: ItemContent) { self.content = content }

    /// The item class of keys.
    public static var itemClass: KeychainItemClass { .key }

    /// Creates an item that describes a key.
    ///
    /// - Parameters:
    ///   - secret: The bytes of the key. The item does not contain them: pass them again to add the item.
    ///   - type: The type of the key.
    ///   - half: The half of the key pair: the public or the private key.
    /// - Throws: ``VaultError``. Its reason is ``VaultError/Reason-swift.enum/invalidArgument`` if the bytes
    ///   are not a key of this type and half, and ``VaultError/Reason-swift.enum/unsupported`` in a build
    ///   without the package trait `Objects`.
    public init(_ secret: SecretBytes, _ type: KeyType, _ half: Half = .private) throws(VaultError) {
        guard CertificateFacts.areSupported else { throw VaultError(.unsupported, .read) }
        guard let facts = KeyFacts(secret.data, type, half) else {
            throw VaultError(.invalidArgument, .read)
        }
        content = ItemContent()
        content.attributes = facts.attributes
    }

    /// Reads the first readable key of a PEM file.
    ///
    /// Private keys can be in PKCS #1, PKCS #8, SEC 1 or OpenSSH's format, and public keys in PKCS #1 or as
    /// SubjectPublicKeyInfo. Encrypted keys and keys of unsupported types are skipped.
    ///
    /// - Parameter pem: The contents of the file.
    /// - Returns: The item and its secret.
    /// - Throws: ``VaultError``. Its reason is ``VaultError/Reason-swift.enum/invalidArgument`` if the file
    ///   contains no readable key, and ``VaultError/Reason-swift.enum/unsupported`` in a build without the
    ///   package trait `Objects`. On Apple's platforms the call always fails, with
    ///   the reason ``VaultError/Reason-swift.enum/unsupported``.
    public static func read(pem: String) throws(VaultError) -> (key: Key, secret: SecretBytes) {
        let facts = try KeyFacts(pem: pem)
        var content = ItemContent()
        content.attributes = facts.attributes
        return (Key(content: content), SecretBytes(facts.bytes))
    }

    /// The application tag; `nil` if the key has none.
    public var tag: ItemString? {
        get { content[.applicationTag].flatMap { $0.bytes.isEmpty ? nil : $0 } }
        set { content[.applicationTag] = newValue }
    }

    /// The type of the key; `nil` for a type that ``KeyType`` does not contain.
    public var type: KeyType? {
        switch content.attributes[.type] {
        case .number(42), .string("42"): .rsa
        case .number(73), .string("73"): .ellipticCurve
        default: nil
        }
    }

    /// Whether this is the public or the private key of its pair; `nil` for any other key, such as a symmetric one.
    public var half: Half? {
        switch content.attributes[.keyClass] {
        case .number(0), .string("0"): .public
        case .number(1), .string("1"): .private
        default: nil
        }
    }

    /// The size of the key in bits; `nil` if the item has no such attribute.
    public var sizeInBits: Int? { content[number: .keySizeInBits].map { Int($0) } }

    /// The SHA-1 digest of the public key; `nil` if the item has no such attribute.
    ///
    /// Both keys of a pair, and the certificates of the public key, have the same digest.
    public var publicKeyDigest: [UInt8]? { content[bytes: .applicationLabel] }

    /// Converts a private key to PKCS #8, which most libraries can read.
    ///
    /// - Parameter secret: The secret of this item.
    /// - Returns: The DER encoding of the key.
    /// - Throws: ``VaultError``. Its reason is ``VaultError/Reason-swift.enum/invalidArgument`` if this item
    ///   is not an RSA or elliptic-curve private key, or if `secret` is not a private key of the same type. In a
    ///   build without the package trait `Objects`, and on Apple's platforms, it is
    ///   ``VaultError/Reason-swift.enum/unsupported``.
    public func pkcs8(_ secret: SecretBytes) throws(VaultError) -> SecretBytes {
        guard CertificateFacts.areSupported else { throw VaultError(.unsupported, .read) }
        guard let type, half == .private else { throw VaultError(.invalidArgument, .read) }
        return try KeyFacts.pkcs8(secret.data, type)
    }
}

extension ItemQuery<Key> {
    /// Creates a query for keys that have the given attributes; `nil` matches any.
    public static func keys(
        tag: String? = nil,
        half: Key.Half? = nil,
        label: String? = nil,
        accessGroup: AccessGroup? = nil
    ) -> Self {
        var query = Self()
        query.content[.applicationTag] = tag.map { ItemString($0) }
        query.content[number: .keyClass] = half.map { $0 == .private ? 1 : 0 }
        query.label = label.map { ItemString($0) }
        query.accessGroup = accessGroup
        return query
    }
}
