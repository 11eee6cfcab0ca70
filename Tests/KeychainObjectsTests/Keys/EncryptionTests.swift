// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainObjects
import KeychainTestSupport
import Testing

/// Encryption, compared with `openssl` or an independent implementation.
///
/// A thorough run tests every algorithm that is offered, other runs a sample of them.
@Suite struct EncryptionTests {
    static let algorithms = KeyAlgorithm.offered { if case .encrypt = $0 { true } else { false } }
    static let sizes = [0, 1, 16, 117]

    @Test(arguments: Sampling.some(5, of: algorithms, for: "algorithms of encryption"))
    func `ciphertext is decrypted by this package and by openssl`(algorithm: KeyAlgorithm) throws {
        for sample in try SampleKey.all(for: algorithm) {
            for size in Self.sizes {
                let plaintext = Data(repeating: 0xA5, count: size)
                let ciphertext = try sample.publicKey.encrypt(plaintext, by: algorithm)
                #expect(try sample.privateKey.decrypt(ciphertext, by: algorithm) == plaintext)
                #expect(try sample.publicKey.encrypt(plaintext, by: algorithm) != ciphertext)
                // `openssl` is run for few sizes only, because starting another program is slow.
                guard size == Self.sizes.last || (size == 0 && sample.publicKey.curve == .p256) else {
                    continue
                }
                #expect(try theirs("decrypt", ciphertext, algorithm, sample) == plaintext)
            }
        }
    }

    @Test(arguments: Sampling.some(5, of: algorithms, for: "algorithms of decryption"))
    func `ciphertext from openssl is decrypted`(algorithm: KeyAlgorithm) throws {
        for sample in try SampleKey.all(for: algorithm) {
            let plaintext = Data(repeating: 0x5A, count: 33)
            let ciphertext = try theirs("encrypt", plaintext, algorithm, sample)
            #expect(try sample.privateKey.decrypt(ciphertext, by: algorithm) == plaintext)
        }
    }

    @Test(arguments: Sampling.some(10, of: algorithms, for: "algorithms of changed ciphertexts"))
    func `a modified ciphertext does not decrypt to the plaintext`(algorithm: KeyAlgorithm) throws {
        for sample in try SampleKey.all(for: algorithm) {
            let plaintext = Data(repeating: 0xA5, count: 40)
            let ciphertext = try sample.publicKey.encrypt(plaintext, by: algorithm)
            let count = ciphertext.count
            var changed: [Data] = [
                ciphertext.flipped(at: count - 1), Data(), Data([4]), ciphertext + [0], Data(count: count),
                Data(repeating: 0xFF, count: count),
            ]
            changed += (0..<8).map { ciphertext.flipped(at: count * $0 / 8, bit: $0) }
            changed += stride(from: 1, to: count, by: 13).map { ciphertext.prefix($0) }
            for wrong in changed {
                // PKCS #1 v1.5 has no integrity check, so decrypting may give another plaintext.
                let result = try? sample.privateKey.decrypt(wrong, by: algorithm)
                #expect(result != plaintext)
                if algorithm.task != .encrypt(.pkcs1) { #expect(result == nil) }
            }
        }
    }

    @Test func `AES-GCM has no size limit, and RSA without it encrypts less than one block`() throws {
        for algorithm in Self.algorithms {
            for sample in try SampleKey.all(for: algorithm) {
                let large = Data(repeating: 1, count: 1_000_000)
                guard algorithm.isHybrid else {
                    for plaintext in [large, Data(count: sample.publicKey.blockSize)] {
                        #expect(throws: AsymmetricKeyError.wrongInput) {
                            try sample.publicKey.encrypt(plaintext, by: algorithm)
                        }
                    }
                    continue
                }
                let ciphertext = try sample.publicKey.encrypt(large, by: algorithm)
                #expect(try sample.privateKey.decrypt(ciphertext, by: algorithm) == large)
            }
        }
    }

    @Test func `RSA keys of 4,096 bits or more encrypt a 256-bit session key`() throws {
        let folder = try OpenSSLFolder()
        try folder.openssl("genrsa -out key.pem 4096")
        let key = try AsymmetricKey(file: folder.read("key.pem"))
        let algorithm = try #require(KeyAlgorithm(named: "algid:encrypt:RSA:OAEP:SHA256:AESGCM"))
        let ciphertext = try key.publicHalf.encrypt(Data("text".utf8), by: algorithm)
        try folder.write(ciphertext.prefix(512), to: "wrapped")
        let session = try folder.openssl(
            "pkeyutl -decrypt -inkey key.pem -in wrapped -pkeyopt rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:sha256"
        )
        #expect(session.count == 32)
        #expect(ciphertext.count == 512 + 4 + 16)
    }

    private func theirs(
        _ direction: String,
        _ input: Data,
        _ algorithm: KeyAlgorithm,
        _ sample: SampleKey
    ) throws -> Data {
        let (name, output) = ("input-\(UUID())", "output-\(UUID())")
        try sample.folder.write(input, to: name)
        let key = direction == "encrypt" ? "public.pem" : "key.pem"
        if algorithm.isHybrid {
            let script = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../Fixtures/hybrid_encryption.py").path
            try sample.folder.run(
                [
                    "python3", script, direction, algorithm.hybridName, algorithm.opensslHash, key, name,
                    output,
                ]
            )
        } else {
            let padding =
                algorithm.task == .encrypt(.pkcs1)
                ? "pkcs1" : "oaep -pkeyopt rsa_oaep_md:\(algorithm.opensslHash)"
            try sample.folder.openssl(
                """
                pkeyutl -\(direction)\(direction == "encrypt" ? " -pubin" : "") -inkey \(key) -in \(name) \
                -out \(output) -pkeyopt rsa_padding_mode:\(padding)
                """
            )
        }
        return try sample.folder.read(output)
    }
}

extension KeyAlgorithm {
    fileprivate var isHybrid: Bool { task != .encrypt(.pkcs1) && task != .encrypt(.oaep) }

    fileprivate var hybridName: String {
        switch task {
        case .encrypt(.ecies): "ecies"
        case .encrypt(.eciesWithDerivedNonce): "ecies-derived"
        default: "oaep"
        }
    }
}
