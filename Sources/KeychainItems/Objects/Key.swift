// SPDX-License-Identifier: Apache-2.0

import KeychainModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A key of a pair; its type, half, size, public key and tag make it unique.
///
/// Its secret is the key itself: PKCS #1 for RSA; for a curve the point and, of a private key, the scalar after it.
public struct Key: KeychainItem {
    /// The types of keys.
    public enum KeyType: Hashable, Sendable {
        case rsa, ellipticCurve
    }

    /// The halves of a pair.
    public enum Half: Hashable, Sendable {
        case `public`, `private`
    }

    /// What the keychain knows of the item.
    public var content: ItemContent

    /// Makes an item of what the keychain knows.
    public init(content: ItemContent) { self.content = content }

    /// The class of keys.
    public static var itemClass: KeychainItemClass { .key }

    /// Describes a key.
    ///
    /// - Parameters:
    ///   - secret: The key itself, which is also what is stored with this item.
    ///   - type: Its type.
    ///   - half: Which half of the pair it is.
    /// - Throws: ``VaultError``; its reason is ``VaultError/Reason-swift.enum/invalidArgument`` for bytes that are no such
    ///   key, and ``VaultError/Reason-swift.enum/unsupported`` in a build without the package trait `Objects`.
    public init(_ secret: SecretBytes, _ type: KeyType, _ half: Half = .private) throws(VaultError) {
        guard CertificateFacts.areSupported else { throw VaultError(.unsupported, .read) }
        guard let facts = KeyFacts(secret.data, type, half) else {
            throw VaultError(.invalidArgument, .read)
        }
        content = ItemContent()
        content.attributes = facts.attributes
    }

    /// Reads the first key of a PEM file: PKCS #1, PKCS #8 or SEC 1, not encrypted.
    ///
    /// - Parameter pem: The text.
    /// - Returns: The item and its secret.
    /// - Throws: ``VaultError``, as ``init(_:_:_:)``; on Apple's platforms its reason is
    ///   ``VaultError/Reason-swift.enum/unsupported``.
    public static func read(pem: String) throws(VaultError) -> (key: Key, secret: SecretBytes) {
        let facts = try KeyFacts(pem: pem)
        var content = ItemContent()
        content.attributes = facts.attributes
        return (Key(content: content), SecretBytes(facts.bytes))
    }

    /// The bytes by which the program finds the key; `nil` for none.
    public var tag: ItemString? {
        get { content[.applicationTag].flatMap { $0.bytes.isEmpty ? nil : $0 } }
        set { content[.applicationTag] = newValue }
    }

    /// The type; `nil` for a type that this package does not know.
    public var type: KeyType? {
        switch content.attributes[.type] {
        case .number(42), .text("42"): .rsa
        case .number(73), .text("73"): .ellipticCurve
        default: nil
        }
    }

    /// The half of the pair; `nil` for another kind of key.
    public var half: Half? {
        switch content.attributes[.keyClass] {
        case .number(0), .text("0"): .public
        case .number(1), .text("1"): .private
        default: nil
        }
    }

    /// The size in bits.
    public var sizeInBits: Int? { content[number: .keySizeInBits].map { Int($0) } }

    /// The digest of the public key, which both halves and the certificates of the pair share.
    public var publicKeyDigest: [UInt8]? { content[bytes: .applicationLabel] }

    /// A private key as PKCS #8, which most libraries read.
    ///
    /// - Parameter secret: The secret of this item.
    /// - Returns: The DER.
    /// - Throws: ``VaultError``; its reason is ``VaultError/Reason-swift.enum/invalidArgument`` for a public key and for the
    ///   secret of another item, and ``VaultError/Reason-swift.enum/unsupported`` on Apple's platforms.
    public func pkcs8(_ secret: SecretBytes) throws(VaultError) -> SecretBytes {
        guard let type, half == .private else { throw VaultError(.invalidArgument, .read) }
        return try KeyFacts.pkcs8(secret.data, type)
    }
}

extension ItemQuery<Key> {
    /// Matches keys by what is given.
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
