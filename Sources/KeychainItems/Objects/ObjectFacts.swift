// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import FoundationEssentials
import KeychainModel
import KeychainObjects

/// Properties of a certificate, parsed from its DER encoding.
struct CertificateFacts {
    private let certificate: ParsedCertificate

    init?(_ der: Data) {
        guard let certificate = try? ParsedCertificate(parsing: der) else { return nil }
        self.certificate = certificate
    }

    /// Whether this build can read certificates and keys.
    static var areSupported: Bool { ObjectsTrait.isEnabled }

    var der: Data { certificate.der }
    var subject: String? { certificate.summary }

    var validity: ClosedRange<Date>? {
        guard certificate.notBefore <= certificate.notAfter else { return nil }
        let (start, end) = (certificate.notBefore, certificate.notAfter)
        return Date(timeIntervalSinceReferenceDate: start)...Date(timeIntervalSinceReferenceDate: end)
    }

    var attributes: Attributes {
        var attributes = Attributes()
        attributes.complete(from: certificate)
        return attributes
    }
}

/// Properties of a key, parsed from its bytes.
struct KeyFacts {
    private let key: AsymmetricKey

    init?(_ bytes: Data, _ type: Key.KeyType, _ half: Key.Half) {
        let key = try? AsymmetricKey(
            type == .rsa ? .rsa : .ellipticCurve,
            half == .private ? .private : .public,
            representation: bytes
        )
        guard let key else { return nil }
        self.key = key
    }

    var attributes: Attributes {
        var attributes = Attributes()
        attributes.complete(from: key)
        return attributes
    }

    init(pem: String) throws(VaultError) {
        guard CertificateFacts.areSupported else { throw VaultError(.unsupported, .read) }
        let blocks = (try? PEMBlock.all(in: pem)) ?? []
        for block in blocks {
            guard let found = try? AsymmetricKey(block) else { continue }
            key = found
            return
        }
        throw VaultError(.invalidArgument, .read)
    }

    /// The bytes of the key as an item stores them.
    var bytes: SecretBuffer { key.storedValue }

    static func pkcs8(_ bytes: Data, _ type: Key.KeyType) throws(VaultError) -> SecretBytes {
        guard let facts = Self(bytes, type, .private), let der = try? facts.key.exported(as: .pkcs8) else {
            throw VaultError(.invalidArgument, .read)
        }
        return SecretBytes(der)
    }
}
#endif
