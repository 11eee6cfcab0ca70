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

/// Issues certificates for P-256 keys in a temporary folder.
struct CertificateAuthority {
    private let folder: OpenSSLFolder

    init() throws { folder = try OpenSSLFolder() }

    /// Generates a key, or uses an existing one, and issues a certificate for it.
    ///
    /// It is self-signed unless an issuer is named, which must have been created before.
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
        // The identifiers of keys are no default, nor are other extensions.
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
        // After the PKCS#8 header: the scalar, the curve and, at the end, the point.
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

    /// The name of a file, without spaces.
    private func file(_ name: String) -> String { name.replacingOccurrences(of: " ", with: "-") }
}
