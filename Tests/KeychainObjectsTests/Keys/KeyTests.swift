// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainObjects
import KeychainTestSupport
import Testing

/// What a key says of itself, and keys that we make.
@Suite struct KeyTests {
    @Test func `both halves have the SHA-1 digest of the public bytes as their label`() throws {
        for sample in try SampleKey.all() {
            let name = "public-\(UUID())"
            try sample.folder.write(sample.publicKey.exposedRepresentation, to: name)
            let digest = try sample.folder.openssl("dgst -sha1 -binary \(name)")
            #expect(sample.privateKey.applicationLabel == digest)
            #expect(sample.publicKey.applicationLabel == digest)
        }
    }

    @Test func `keys are equal if they are the same half of the same pair`() throws {
        let samples = try SampleKey.all()
        let keys = samples.flatMap { [$0.privateKey, $0.publicKey] }
        for (place, key) in keys.enumerated() {
            let again = try AsymmetricKey(key.type, key.half, representation: key.exposedRepresentation)
            for (otherPlace, other) in keys.enumerated() {
                #expect((again == other) == (place == otherPlace))
            }
            #expect(again.hashValue == key.hashValue)
        }
        for sample in samples { #expect(sample.privateKey.publicHalf == sample.publicKey) }
    }

    @Test(arguments: Curve.allCases)
    func `a new key of a curve is one for openssl`(curve: Curve) throws {
        let key = try AsymmetricKey(generating: KeySpecification(.ellipticCurve, bits: curve.bits))
        #expect(key.bits == curve.bits)
        #expect(key.half == .private)
        let folder = try OpenSSLFolder()
        try folder.write(Data(key.exposedBlock(as: .pkcs8).text.utf8), to: "key.pem")
        try folder.openssl("pkey -check -noout -in key.pem")
        #expect(try AsymmetricKey(generating: .ellipticCurve(curve)) != key)
    }

    @Test(arguments: [2_048, 2_176, 3_072])
    func `a new RSA key has the size asked for and is one for openssl`(bits: Int) throws {
        let key = try AsymmetricKey(generating: KeySpecification(.rsa, bits: bits))
        #expect(key.bits == bits)
        #expect(key.blockSize == bits / 8)
        let folder = try OpenSSLFolder()
        try folder.write(Data(key.exposedBlock(as: .pkcs1).text.utf8), to: "key.pem")
        try folder.openssl("pkey -check -noout -in key.pem")
    }

    @Test(
        arguments: [
            (.rsa, -1), (.rsa, 0), (.rsa, 512), (.rsa, 1_024), (.rsa, 2_047), (.rsa, 2_056), (.rsa, 8_320),
            (.rsa, Int.max), (.rsa, Int.min), (.ellipticCurve, 0), (.ellipticCurve, 192),
            (.ellipticCurve, 224),
            (.ellipticCurve, 255), (.ellipticCurve, 512), (.ellipticCurve, 2_048), (.ellipticCurve, Int.max),
        ] as [(KeyType, Int)]
    )
    func `a size that is not made is refused`(type: KeyType, bits: Int) {
        #expect(throws: AsymmetricKeyError.keySizeNotAllowed) { try KeySpecification(type, bits: bits) }
    }

    @Test func `sizes up to 8,192 bits are made`() throws {
        #expect(try KeySpecification(.rsa, bits: 8_192) == .rsa(bits: 8_192))
        #expect(try KeySpecification(.rsa, bits: 4_096) == .rsa(bits: 4_096))
    }
}
