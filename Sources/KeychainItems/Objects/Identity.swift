// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// A certificate together with its private key.
///
/// The secret of the item is the private key. The keychain stores no identities, only certificates and keys: a
/// certificate and a key form an identity if the key is the private key of the certificate's public key.
public struct Identity: KeychainItem {
    /// The stored attributes of the certificate and the key.
    public var content: ItemContent

    /// Creates an item from stored attributes.
    public init(content: ItemContent) { self.content = content }

    /// The item class of identities.
    public static var itemClass: KeychainItemClass { .identity }

    /// Creates an identity from a certificate and its private key.
    ///
    /// - Parameters:
    ///   - certificate: The certificate.
    ///   - key: The private key.
    /// - Throws: ``VaultError``. Its reason is ``VaultError/Reason-swift.enum/invalidArgument`` if the key is
    ///   not the private key of the certificate.
    public init(certificate: Certificate, key: Key) throws(VaultError) {
        guard key.half == .private, let digest = key.publicKeyDigest,
            certificate.content[bytes: .publicKeyHash] == digest
        else { throw VaultError(.invalidArgument, .read) }
        content = key.content
        content.reference = nil
        for entry in certificate.content.attributes.entries {
            content.attributes[entry.attribute] = entry.value
        }
        content.value = certificate.content.value
    }

    /// The certificate of the identity, with its attributes.
    public var certificate: Certificate {
        var half = content.half(.certificate)
        half.value = content.value
        return Certificate(content: half)
    }

    /// The private key, whose secret is also the identity's secret.
    public var key: Key { Key(content: content.half(.key)) }
}

extension ItemQuery<Identity> {
    /// Creates a query for identities that have the given attributes.
    ///
    /// - Parameters:
    ///   - label: The label of the certificate.
    ///   - tag: The tag of the key.
    ///   - accessGroup: The access group of the key.
    /// - Returns: The query.
    public static func identities(
        label: String? = nil,
        tag: String? = nil,
        accessGroup: AccessGroup? = nil
    ) -> Self {
        var query = Self()
        query.content[.applicationTag] = tag.map { ItemString($0) }
        query.label = label.map { ItemString($0) }
        query.accessGroup = accessGroup
        return query
    }
}

extension ItemContent {
    /// Returns the attributes of the certificate or of the key, depending on the item class.
    func half(_ itemClass: ItemClass) -> ItemContent {
        var half = ItemContent()
        half.accessControl = accessControl
        for entry in attributes.entries where ItemSchema.of(itemClass)[entry.attribute] != nil {
            half.attributes[entry.attribute] = entry.value
        }
        return half
    }
}
