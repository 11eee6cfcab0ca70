// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainObjects
import KeychainTestSupport
import Testing

/// An RSA key of the maximum size.
///
/// The key is a fixture, because generating one would take longer than all other key tests.
@Suite struct LargestKeyTests {
    private let folder: OpenSSLFolder
    private let key: AsymmetricKey
    private let message = Data("a message that is signed".utf8)

    init() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Fixtures/keys/rsa-8192.der").standardizedFileURL
        let bytes = try Data(contentsOf: file)
        key = try AsymmetricKey(file: bytes)
        folder = try OpenSSLFolder()
        try folder.write(bytes, to: "key.der")
        try folder.openssl("rsa -inform DER -in key.der -out key.pem")
        try folder.openssl("rsa -in key.pem -pubout -out public.pem")
        try folder.write(message, to: "message")
    }

    @Test func `the maximum RSA key has the expected properties`() throws {
        #expect(key.type == .rsa)
        #expect(key.half == .private)
        #expect(key.bits == 8_192)
        #expect(key.blockSize == 1_024)
        #expect(try AsymmetricKey(file: folder.read("public.pem")) == key.publicHalf)
    }

    @Test func `openssl and the maximum RSA key verify each other's signatures`() throws {
        let algorithm = try #require(KeyAlgorithm(named: "algid:sign:RSA:message-PKCS1v15:SHA256"))
        let signature = try key.signature(of: message, by: algorithm)
        #expect(signature.count == 1_024)
        try folder.write(signature, to: "ours")
        #expect(folder.opensslAccepts("dgst -sha256 -verify public.pem -signature ours message"))
        let theirs = try folder.openssl("dgst -sha256 -sign key.pem message")
        try key.publicHalf.verify(theirs, of: message, by: algorithm)
        #expect(throws: AsymmetricKeyError.signatureMismatch) {
            try key.publicHalf.verify(theirs.flipped(at: 512), of: message, by: algorithm)
        }
    }

    @Test func `the maximum RSA key decrypts ciphertext from openssl`() throws {
        let algorithm = try #require(KeyAlgorithm(named: "algid:encrypt:RSA:OAEP:SHA256"))
        let box = try folder.openssl(
            "pkeyutl -encrypt -pubin -inkey public.pem -in message -pkeyopt rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:sha256"
        )
        #expect(try key.decrypt(box, by: algorithm) == message)
    }
}
