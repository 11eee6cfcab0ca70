// SPDX-License-Identifier: Apache-2.0

#if Objects
import Foundation
import KeychainItems
import KeychainTestSupport
import KeychainTesting
import Testing

/// Storing and finding certificates, keys and identities.
@Suite(.temporaryKeychain(accessGroups: ["TEAM.app"])) struct ObjectTests {
    private func pair() throws -> (certificate: Certificate, key: Key, secret: SecretBytes) {
        let (key, secret) = try Key.read(pem: PEM.key)
        return (try Certificate(pem: PEM.certificate), key, secret)
    }

    @Test(arguments: Backend.allCases)
    func `a certificate is read back with its bytes`(backend: Backend) throws {
        let vault = backend.vault()
        let certificate = try pair().certificate
        #expect(certificate.subject == "server.example")
        #expect(certificate.validity?.contains(.now) == true)
        try vault.add(certificate)
        #expect(throws: VaultError.self) { try vault.add(certificate) }
        #expect(try vault.contains(certificate))
        let found = try #require(try vault.items(matching: .certificates(label: "server.example")).first)
        #expect(found.der == certificate.der)
        #expect(found.subject == "server.example")
        #expect(found.serialNumber == certificate.serialNumber)
        let reference = try #require(found.reference)
        #expect(try vault.item(reference, as: Certificate.self)?.der == certificate.der)
        try vault.set(found)
        #expect(try vault.remove(certificate))
        #expect(try vault.items(matching: .certificates()).isEmpty)
    }

    @Test(arguments: Backend.allCases)
    func `a key is read back with its tag and its bytes`(backend: Backend) throws {
        let vault = backend.vault()
        var (_, key, secret) = try pair()
        key.tag = "canary tag"
        #expect(key.type == .ellipticCurve)
        #expect(key.half == .private)
        #expect(key.sizeInBits == 256)
        try vault.add(key, secret: secret)
        let found = try #require(try vault.items(matching: .keys(tag: "canary tag", half: .private)).first)
        #expect(found.publicKeyDigest == key.publicKeyDigest)
        #expect(found.type == .ellipticCurve)
        #expect(try vault.get(found) == secret)
        #expect(try vault.items(matching: .keys(half: .public)).isEmpty)
        #expect(try Key(secret, .ellipticCurve).publicKeyDigest == key.publicKeyDigest)
        #expect(try key.pkcs8(secret) == SecretBytes(PEM.bytes(PEM.key)))
        #expect(try vault.remove(key))
    }

    @Test(arguments: Backend.allCases)
    func `an identity consists of a certificate and its key`(backend: Backend) throws {
        let vault = backend.vault()
        let (certificate, key, secret) = try pair()
        let identity = try Identity(certificate: certificate, key: key)
        try vault.add(identity, secret: secret)
        #expect(throws: VaultError.self) { try vault.add(identity, secret: secret) }
        #expect(try vault.items(matching: .certificates()).count == 1)
        #expect(try vault.items(matching: .keys()).count == 1)
        let listed = try #require(try vault.items(matching: .identities(label: "server.example")).first)
        #expect(listed.certificate.der == certificate.der)
        #expect(listed.key.publicKeyDigest == key.publicKeyDigest)
        let found = try vault.items(matching: .identities(), including: .secret)
        #expect(found.map(\.secret) == [secret])
        #expect(found.first?.item.certificate.subject == "server.example")
        #expect(try vault.get(identity) == secret)
        #expect(try vault.contains(identity))
        try vault.set(identity, secret: secret)
        #expect(throws: VaultError(.unsupported, .update)) { try vault.update(identity) { $0 = nil } }
        #expect(try vault.remove(identity))
        #expect(try !vault.remove(identity))
        #expect(try vault.items(matching: .certificates()).isEmpty)
        #expect(try vault.get(identity) == nil)
    }

    @Test func `bytes that are not a certificate or a key are rejected`() throws {
        let (certificate, key, secret) = try pair()
        #expect(throws: VaultError(.invalidArgument, .read)) { try Certificate(der: [1, 2, 3]) }
        #expect(throws: VaultError(.invalidArgument, .read)) { try Certificate(pem: PEM.key) }
        #expect(throws: VaultError(.invalidArgument, .read)) { try Key(secret, .rsa) }
        #expect(throws: VaultError(.invalidArgument, .read)) { try Key.read(pem: PEM.certificate) }
        #expect(throws: VaultError(.invalidArgument, .read)) { try key.pkcs8(SecretBytes("canary")) }
        var other = key
        other.content = ItemContent()
        #expect(throws: VaultError(.invalidArgument, .read)) {
            try Identity(certificate: certificate, key: other)
        }
    }
}

/// A self-signed certificate and its key.
private enum PEM {
    static func bytes(_ pem: String) -> Data {
        Data(base64Encoded: pem.split(separator: "\n").dropFirst().dropLast().joined()) ?? Data()
    }

    static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBiTCCAS+gAwIBAgIUB3fPqbCObObs0Y1BdurizzfItq0wCgYIKoZIzj0EAwIw
        GTEXMBUGA1UEAwwOc2VydmVyLmV4YW1wbGUwIBcNMjYxMTIzMTUzMzExWhgPMjEy
        NjEwMzAxNTMzMTFaMBkxFzAVBgNVBAMMDnNlcnZlci5leGFtcGxlMFkwEwYHKoZI
        zj0CAQYIKoZIzj0DAQcDQgAEmSUFbWnq2h1aDbQUdrDU6Y8YpJaoohfHwsFcpgbm
        5igkr3wVpeSNvGyXoPrdSKMNeumWKmjeO8wk+gbzN2csNaNTMFEwHQYDVR0OBBYE
        FELVRFCBp9xBc4EcKtKrLWSln+LYMB8GA1UdIwQYMBaAFELVRFCBp9xBc4EcKtKr
        LWSln+LYMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIhAJStnSjC
        hk5N+XgcIBrZK5MTQnb70NAohLQgiEJrGpeTAiA9DFJyL5eUb5ZRR82Le36DCk/l
        WLI7/AT69jWNETzkjA==
        -----END CERTIFICATE-----
        """

    static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgob3Dx6yks1k1/Y1t
        XnTKI5phb6om3y3mChDTC/jqBnChRANCAASZJQVtaeraHVoNtBR2sNTpjxiklqii
        F8fCwVymBubmKCSvfBWl5I28bJeg+t1Iow166ZYqaN47zCT6BvM3Zyw1
        -----END PRIVATE KEY-----
        """
}
#endif
