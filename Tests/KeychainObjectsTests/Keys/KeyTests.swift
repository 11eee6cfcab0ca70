// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainObjects
import KeychainTestSupport
import Testing

@Suite struct KeyTests {
    @Test func `both keys of a pair have the SHA-1 of the public key as application label`() throws {
        for sample in try SampleKey.all() {
            let name = "public-\(UUID())"
            try sample.folder.write(sample.publicKey.externalRepresentation, to: name)
            let digest = try sample.folder.openssl("dgst -sha1 -binary \(name)")
            #expect(sample.privateKey.applicationLabel == digest)
            #expect(sample.publicKey.applicationLabel == digest)
        }
    }

    @Test func `keys are equal if they are the same key of the same pair`() throws {
        let samples = try SampleKey.all()
        let keys = samples.flatMap { [$0.privateKey, $0.publicKey] }
        for (index, key) in keys.enumerated() {
            let again = try AsymmetricKey(key.type, key.half, representation: key.externalRepresentation)
            for (otherIndex, other) in keys.enumerated() {
                #expect((again == other) == (index == otherIndex))
            }
            #expect(again.hashValue == key.hashValue)
        }
        for sample in samples { #expect(sample.privateKey.publicHalf == sample.publicKey) }
    }

    @Test(arguments: Curve.allCases)
    func `openssl accepts a generated elliptic-curve key`(curve: Curve) throws {
        let key = try AsymmetricKey(generating: KeySpecification(.ellipticCurve, bits: curve.bits))
        #expect(key.bits == curve.bits)
        #expect(key.half == .private)
        let folder = try OpenSSLFolder()
        try folder.write(Data(key.exportedBlock(as: .pkcs8).text.utf8), to: "key.pem")
        try folder.openssl("pkey -check -noout -in key.pem")
        #expect(try AsymmetricKey(generating: .ellipticCurve(curve)) != key)
    }

    @Test(arguments: [2_048, 2_176, 3_072])
    func `a generated RSA key has the requested size and is accepted by openssl`(bits: Int) throws {
        let key = try AsymmetricKey(generating: KeySpecification(.rsa, bits: bits))
        #expect(key.bits == bits)
        #expect(key.blockSize == bits / 8)
        let folder = try OpenSSLFolder()
        try folder.write(Data(key.exportedBlock(as: .pkcs1).text.utf8), to: "key.pem")
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
    func `generating a key of an unsupported size fails`(type: KeyType, bits: Int) {
        #expect(throws: AsymmetricKeyError.keySizeNotAllowed) { try KeySpecification(type, bits: bits) }
    }

    @Test func `RSA keys of up to 8,192 bits can be generated`() throws {
        #expect(try KeySpecification(.rsa, bits: 8_192) == .rsa(bits: 8_192))
        #expect(try KeySpecification(.rsa, bits: 4_096) == .rsa(bits: 4_096))
    }
}
