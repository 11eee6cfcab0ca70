// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

package enum KeychainObject: Hashable, Sendable {
    case key(AsymmetricKey)
    case certificate(ParsedCertificate)
    case identity(Identity)

    /// Creates the object of an item that was found with its value.
    ///
    /// The result is `nil` for a password, for an item found without its value, for a value that cannot be decoded, and
    /// for an identity whose certificate and key do not match.
    package init?(_ item: FoundItem) {
        guard let secret = item.secret else { return nil }
        switch item.reference.itemClass {
        case .genericPassword, .internetPassword: return nil
        case .certificate:
            guard let certificate = ParsedCertificate(stored: secret, attributes: item.attributes) else {
                return nil
            }
            self = .certificate(certificate)
        case .key:
            guard let key = AsymmetricKey(stored: secret, attributes: item.attributes) else { return nil }
            self = .key(key)
        case .identity:
            guard
                let certificate = item.certificate.flatMap({
                    ParsedCertificate(stored: $0, attributes: item.attributes)
                }),
                let privateKey = AsymmetricKey(stored: secret, attributes: item.attributes),
                let identity = Identity(certificate, privateKey)
            else { return nil }
            self = .identity(identity)
        }
    }

    /// The certificate and key of an identity, otherwise the object itself.
    package var halves: [KeychainObject] {
        switch self {
        case .key, .certificate: [self]
        case .identity(let identity): [.certificate(identity.certificate), .key(identity.privateKey)]
        }
    }

    /// The certificate, or the certificate of the identity; `nil` for a key.
    package var certificate: ParsedCertificate? {
        switch self {
        case .key: nil
        case .certificate(let certificate): certificate
        case .identity(let identity): identity.certificate
        }
    }

    /// The key, or the private key of the identity; `nil` for a certificate.
    package var key: AsymmetricKey? {
        switch self {
        case .key(let key): key
        case .certificate: nil
        case .identity(let identity): identity.privateKey
        }
    }
}

/// A certificate and the private key for its public key.
package struct Identity: Hashable, Sendable {
    package let certificate: ParsedCertificate
    package let privateKey: AsymmetricKey

    /// Combines a certificate and its private key; `nil` if they do not match.
    package init?(_ certificate: ParsedCertificate, _ privateKey: AsymmetricKey) {
        let label = privateKey.applicationLabel
        guard privateKey.half == .private, !label.isEmpty, label == certificate.publicKeyDigest else {
            return nil
        }
        self.certificate = certificate
        self.privateKey = privateKey
    }
}
