// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import KeychainModel

extension ParsedCertificate: StorableObject {
    package static var itemClass: ItemClass { .certificate }

    package var storedValue: SecretBuffer { SecretBuffer(copying: der) }

    /// The attributes of an item that are derived from its certificate, without the label.
    ///
    /// Source: Apple's published Security sources.
    package var derivedAttributes: Attributes {
        var attributes = Attributes(reservingCapacity: 8)
        attributes[.certificateType] = .number(Int64(version))
        attributes[.issuer] = .data(Array(normalizedIssuer.content))
        attributes[.serialNumber] = .data(Array(serialNumber))
        attributes[.certificateEncoding] = .number(Self.distinguishedEncoding)
        attributes[.subject] = .data(Array(normalizedSubject.content))
        attributes[.subjectKeyID] = subjectKeyIdentifier.map { .data(Array($0)) }
        attributes[.publicKeyHash] = .data(Array(publicKeyDigest))
        return attributes
    }

    /// The digest that matches the application label of the certificate's key.
    ///
    /// This is the SHA-1 digest of the bits of the public key. If the certificate contains a compressed point, it is
    /// the digest of the uncompressed point instead, because a key's label is computed from that form.
    package var publicKeyDigest: Data {
        let isCompressed = publicKeyBits.first == 2 || publicKeyBits.first == 3
        let key = isCompressed ? try? AsymmetricKey(subjectPublicKeyInfo: subjectPublicKeyInfo) : nil
        return key?.applicationLabel ?? publicKeyHash
    }

    package var inferredLabel: AttributeValue? { summary.map { .string($0) } }

    /// The value of the encoding attribute for DER, `CSSM_CERT_ENCODING_DER`.
    private static let distinguishedEncoding: Int64 = 3

    package init?(stored value: SecretBuffer, attributes: Attributes) {
        guard let certificate = try? ParsedCertificate(parsing: value.data) else { return nil }
        self = certificate
    }
}

extension ParsedCertificate: Hashable {
    package static func == (left: Self, right: Self) -> Bool { left.der == right.der }

    package func hash(into hasher: inout Hasher) { hasher.combine(der) }
}
