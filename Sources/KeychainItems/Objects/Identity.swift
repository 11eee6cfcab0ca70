// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// A certificate together with its private key, which is the secret of the item.
///
/// No identity is stored: each pair of a certificate and the private key of its public key is one.
public struct Identity: KeychainItem {
    /// What the keychain knows of both.
    public var content: ItemContent

    /// Makes an item of what the keychain knows.
    public init(content: ItemContent) { self.content = content }

    /// The class of identities.
    public static var itemClass: KeychainItemClass { .identity }

    /// Joins a certificate and the private key of its public key.
    ///
    /// - Throws: ``VaultError``; its reason is ``VaultError/Reason-swift.enum/invalidArgument`` for a key that is not the
    ///   private key of the certificate.
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

    /// The certificate.
    public var certificate: Certificate {
        var half = content.half(.certificate)
        half.value = content.value
        return Certificate(content: half)
    }

    /// The private key, whose secret is that of the identity.
    public var key: Key { Key(content: content.half(.key)) }
}

extension ItemQuery<Identity> {
    /// Matches identities by what is given.
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
    /// What of an identity is said of its certificate, or of its key.
    func half(_ itemClass: ItemClass) -> ItemContent {
        var half = ItemContent()
        half.accessControl = accessControl
        for entry in attributes.entries where ItemSchema.of(itemClass)[entry.attribute] != nil {
            half.attributes[entry.attribute] = entry.value
        }
        return half
    }
}
