// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

/// A key pair and its certificate, both made by the `openssl` program.
struct IssuedIdentity: Sendable {
    let certificate: SecCertificate
    let privateKey: SecKey
    let name: String

    var publicKey: SecKey? { SecKeyCopyPublicKey(privateKey) }
    var identity: SecIdentity? { SecIdentityCreate(nil, certificate, privateKey) }
    var der: Data { SecCertificateCopyData(certificate) as Data }
    var keyBytes: Data? { SecKeyCopyExternalRepresentation(privateKey, nil).map { $0 as Data } }
}

/// Issues certificates for keys on P-256, gone with the last reference.
struct CertificateAuthority {
    private let folder: OpenSSLFolder

    init() throws { folder = try OpenSSLFolder() }

    /// Makes a key, or takes the one of another name, and a certificate for it, which it signs itself unless an issuer
    /// is named that was made before.
    func issue(
        _ name: String,
        by issuer: String? = nil,
        keyOf key: String? = nil,
        email: String? = nil,
        days: Int = 30
    ) throws -> IssuedIdentity {
        let key = key ?? name
        if key == name {
            try folder.openssl("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out \(file(key)).key")
        }
        let subject = ["-subj", "/O=Canary Example/CN=\(name)"]
        let request = ["openssl", "req", "-new", "-key", "\(file(key)).key", "-out", "\(file(name)).csr"]
        try folder.run(request + subject)
        let extensions =
            ["basicConstraints = CA:true"] + (email.map { ["subjectAltName = email:\($0)"] } ?? [])
        try folder.write(Data(extensions.joined(separator: "\n").utf8), to: "\(file(name)).cnf")
        let signer =
            issuer.map { "-CA \(file($0)).pem -CAkey \(file($0)).key -CAcreateserial" }
            ?? "-key \(file(key)).key"
        let days = "-days \(days) -extfile \(file(name)).cnf"
        try folder.openssl("x509 -req -in \(file(name)).csr \(signer) \(days) -out \(file(name)).pem")
        return try read(name, keyOf: key)
    }

    private func read(_ name: String, keyOf key: String) throws -> IssuedIdentity {
        let der = try folder.openssl("x509 -in \(file(name)).pem -outform DER")
        let structure = try folder.openssl("ec -in \(file(key)).key -outform DER")
        // Version and lengths, the scalar, the curve and, at the end, the point.
        let bytes = structure.suffix(65) + structure.dropFirst(7).prefix(32)
        let attributes: [String: Any] = [
            kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom,
            kSecAttrKeyClass as String: kSecAttrKeyClassPrivate,
        ]
        return IssuedIdentity(
            certificate: try #require(SecCertificateCreateWithData(nil, der as CFData)),
            privateKey: try #require(SecKeyCreateWithData(bytes as CFData, attributes as CFDictionary, nil)),
            name: name
        )
    }

    /// The name of a file, which has no spaces in it.
    private func file(_ name: String) -> String { name.replacingOccurrences(of: " ", with: "-") }
}
