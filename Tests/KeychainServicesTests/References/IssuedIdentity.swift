// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

/// A key pair and its certificate, generated with `openssl`.
struct IssuedIdentity: Sendable {
    let certificate: SecCertificate
    let privateKey: SecKey
    let name: String

    var publicKey: SecKey? { SecKeyCopyPublicKey(privateKey) }
    var identity: SecIdentity? { SecIdentityCreate(nil, certificate, privateKey) }
    var der: Data { SecCertificateCopyData(certificate) as Data }
    var keyBytes: Data? { SecKeyCopyExternalRepresentation(privateKey, nil).map { $0 as Data } }
}

/// A certificate authority that issues certificates for P-256 keys, in a temporary folder.
struct CertificateAuthority {
    private let folder: OpenSSLFolder

    init() throws { folder = try OpenSSLFolder() }

    /// Issues a certificate for a new key, or for the key of an earlier certificate.
    ///
    /// The certificate is self-signed unless `issuer` names an earlier certificate.
    func issue(
        _ name: String,
        by issuer: String? = nil,
        keyOf key: String? = nil,
        email: String? = nil,
        days: Int = 30
    ) throws -> IssuedIdentity {
        let paths = (
            key: "\(file(key ?? name)).key", certificate: "\(file(name)).pem", settings: "\(file(name)).cnf"
        )
        // Without these settings, openssl would add key identifiers and other extensions.
        let settings = """
            [req]
            distinguished_name = subject
            x509_extensions = extensions
            [subject]
            [extensions]
            basicConstraints = CA:true
            subjectKeyIdentifier = none
            authorityKeyIdentifier = none
            \(email.map { "subjectAltName = email:\($0)" } ?? "")

            """
        try folder.write(Data(settings.utf8), to: paths.settings)
        let keys =
            key == nil
            ? "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout \(paths.key)" : "-key \(paths.key)"
        let signer = issuer.map { "-CA \(file($0)).pem -CAkey \(file($0)).key" } ?? ""
        try folder.openssl(
            "req -x509 -config \(paths.settings) \(keys) \(signer) -days \(days) -out \(paths.certificate) -subj",
            ["/O=Canary Example/CN=\(name)"]
        )
        return try read(name, from: paths)
    }

    private func read(
        _ name: String,
        from paths: (key: String, certificate: String, settings: String)
    ) throws -> IssuedIdentity {
        // The PKCS #8 structure has the private scalar after 36 bytes of header, and ends with the 65 bytes of
        // the point.
        let structure = try folder.privateKey(paths.key)
        let bytes = structure.suffix(65) + structure.dropFirst(36).prefix(32)
        let attributes: [String: Any] = [
            kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom,
            kSecAttrKeyClass as String: kSecAttrKeyClassPrivate,
        ]
        let der = try folder.certificate(paths.certificate)
        return IssuedIdentity(
            certificate: try #require(SecCertificateCreateWithData(nil, der as CFData)),
            privateKey: try #require(SecKeyCreateWithData(bytes as CFData, attributes as CFDictionary, nil)),
            name: name
        )
    }

    /// Returns the name with hyphens instead of spaces, for a file name.
    private func file(_ name: String) -> String { name.replacingOccurrences(of: " ", with: "-") }
}
