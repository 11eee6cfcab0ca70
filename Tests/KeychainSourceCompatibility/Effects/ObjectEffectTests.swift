// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Security
import Testing

@testable import KeychainSourceCompatibility

/// Runs the sample programs for keys, certificates and identities, and checks their results.
@Suite(.searchedKeychain) struct ObjectEffectTests {
    private let name = Canary.make("name")
    private let message = Data("message".utf8)

    @Test func `an elliptic-curve key is stored, found and used`() throws {
        let key = try Keys.generate(tag: name, type: kSecAttrKeyTypeECSECPrimeRandom, bits: 256)
        let found = try Keys.retrieve(tag: name)
        #expect(try Keys.export(found) == Keys.export(key))
        let signature = try Keys.sign(message, with: found, .ecdsaSignatureMessageX962SHA256)
        #expect(Keys.verify(signature, of: message, with: key, .ecdsaSignatureMessageX962SHA256))
        #expect(!Keys.verify(signature, of: Data(), with: key, .ecdsaSignatureMessageX962SHA256))
        #expect(
            try Keys.roundTrip(message, with: key, .eciesEncryptionCofactorVariableIVX963SHA256AESGCM)
                == message
        )
        #expect(Objects.kind(of: key) == "key")
        #expect(Keys.describe(key).bits == 256)
        let other = try Keys.generate(
            tag: name,
            type: kSecAttrKeyTypeECSECPrimeRandom,
            bits: 256,
            permanent: false
        )
        let secret = try Keys.agree(key, other)
        #expect(secret.count == 32)
        #expect(try Keys.agree(other, key) == secret)
    }

    @Test func `an RSA key is exported, imported, stored and used`() throws {
        let key = try Keys.generate(tag: name, type: kSecAttrKeyTypeRSA, bits: 2048, permanent: false)
        let data = try Keys.export(key)
        let restored = try Keys.restore(data, type: kSecAttrKeyTypeRSA, keyClass: kSecAttrKeyClassPrivate)
        #expect(Keys.store(restored, tag: name) == errSecSuccess)
        #expect(Keys.store(restored, tag: name) == errSecDuplicateItem)
        let signature = try Keys.sign(message, with: restored, .rsaSignatureMessagePKCS1v15SHA256)
        #expect(Keys.verify(signature, of: message, with: key, .rsaSignatureMessagePKCS1v15SHA256))
        #expect(try Keys.roundTrip(message, with: key, .rsaEncryptionOAEPSHA256) == message)
        #expect(Keys.describe(key).blockSize == 256)
    }

    @Test func `code older than SecKeyAlgorithm signs and encrypts with an RSA key`() throws {
        let key = try Keys.generate(tag: name, type: kSecAttrKeyTypeRSA, bits: 2048, permanent: false)
        let publicKey = try #require(SecKeyCopyPublicKey(key))
        let digest = Data(repeating: 3, count: 32)
        let signature = try EarlierKeys.sign(digest, with: key)
        #expect(EarlierKeys.verify(signature, of: digest, with: publicKey))
        #expect(!EarlierKeys.verify(signature, of: Data(repeating: 4, count: 32), with: publicKey))
        #expect(throws: NSError.self) { try EarlierKeys.sign(digest, with: key, .PKCS1MD5) }
        let cipher = try #require(EarlierKeys.encrypt("a text", with: publicKey))
        #expect(EarlierKeys.decrypt(cipher, with: key) == "a text")
    }

    @Test func `malformed key data throws`() {
        #expect(throws: NSError.self) {
            try Keys.restore(message, type: kSecAttrKeyTypeRSA, keyClass: kSecAttrKeyClassPublic)
        }
    }

    @Test func `a certificate is stored, found and evaluated`() async throws {
        let folder = try OpenSSLFolder()
        try folder.makeIdentity("alice")
        let der = try folder.certificate("alice.pem")
        #expect(CertificateItems.add(message, label: name) == errSecDecode)
        #expect(CertificateItems.add(der, label: name) == errSecSuccess)
        let found = try #require(CertificateItems.find(label: name))
        #expect(CertificateItems.summary(found) == ["alice", "alice", "true", "true"])
        #expect(CertificateItems.find(label: "absent") == nil)
        let pinning = Pinning(host: "alice", anchors: [found])
        #expect(!pinning.evaluate([found], at: .now).isTrusted)
        #expect(EarlierTrust.publicKey(of: found) == SecCertificateCopyKey(found))
        #expect(
            EarlierTrust.serialNumber(of: found) == SecCertificateCopySerialNumberData(found, nil) as Data?
        )
        var optional: SecTrust?
        #expect(SecTrustCreateWithCertificates(found, nil, &optional) == errSecSuccess)
        let trust = EarlierTrust(trust: try #require(optional))
        #expect(!trust.isTrusted())
        #expect(trust.publicKey() == SecCertificateCopyKey(found))
        let answer = await withCheckedContinuation { answer in
            trust.evaluate(on: .global()) { answer.resume(returning: $0) }
        }
        #expect(!answer)
    }

    @Test func `a networking library evaluates trust and accepts exceptions`() throws {
        let folder = try OpenSSLFolder()
        try folder.makeIdentity("alice")
        let found = try #require(SecCertificateCreateWithData(nil, folder.certificate("alice.pem") as CFData))
        var optional: SecTrust?
        SecTrustCreateWithCertificates(found, nil, &optional)
        let trust = try #require(optional)
        #expect(throws: TrustFailure.self) { try RevocationEvaluator().evaluate(trust, for: "alice") }
        #expect(trust.earlierError()?.domain == "TrustFailure")
        #expect(!trust.isExtended)
        #expect(throws: NSError.self) { try found.identity() }
        #if Trust
        #expect(trust.resultValue == 5)
        #expect(trust.trustAnyway())
        #expect(trust.earlierError() == nil)
        #expect(trust.resultValue == 1)
        #else
        #expect(trust.resultValue == 7)
        #expect(!trust.trustAnyway())
        #endif
    }

    #if PKCS12
    @Test func `an identity is imported from a file, stored and used`() throws {
        let folder = try OpenSSLFolder()
        try folder.makeIdentity("alice")
        try folder.openssl("pkcs12 -export -inkey alice.key -in alice.pem -out a.p12 -passout pass:secret")
        let file = try folder.read("a.p12")
        #expect(throws: NSError.self) { try Identities.importFile(file, password: "wrong") }
        let identity = try Identities.importFile(file, password: "secret")
        #expect(Identities.store(identity, label: name) == errSecSuccess)
        let found = try #require(Identities.find(label: name))
        let parts = try Identities.parts(found)
        let signature = try Keys.sign(message, with: parts.key, .ecdsaSignatureMessageX962SHA256)
        #expect(Keys.verify(signature, of: message, with: parts.key, .ecdsaSignatureMessageX962SHA256))
        #expect(CertificateItems.summary(parts.certificate).first == "alice")
    }
    #endif
}
