// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainObjects
import KeychainTestSupport
import Testing

/// Malformed and changed keys: a parser throws an error or returns another key, but does not crash.
@Suite struct HostileBytesTests {
    /// Returns valid keys in every external format.
    private func files() throws -> [Data] {
        try SampleKey.all().flatMap { sample in
            [sample.privateKey, sample.publicKey].flatMap { key in
                KeyFormat.allCases.compactMap { try? key.exported(as: $0) } + [key.externalRepresentation]
            }
        }
    }

    /// Returns the keys that any parser finds in the bytes; a parser may only throw an `AsymmetricKeyError`.
    private func read(_ bytes: Data) -> [AsymmetricKey] {
        var keys: [AsymmetricKey] = []
        func attempt(_ body: () throws(AsymmetricKeyError) -> AsymmetricKey) {
            if let key = try? body() { keys.append(key) }
        }
        attempt { () throws(AsymmetricKeyError) in try AsymmetricKey(file: bytes) }
        attempt { () throws(AsymmetricKeyError) in try AsymmetricKey(der: bytes) }
        attempt { () throws(AsymmetricKeyError) in try AsymmetricKey(pkcs8: bytes) }
        attempt { () throws(AsymmetricKeyError) in try AsymmetricKey(sec1: bytes) }
        attempt { () throws(AsymmetricKeyError) in try AsymmetricKey(subjectPublicKeyInfo: bytes) }
        // Ed25519 is left out, because any 32 bytes are an Ed25519 key.
        for type in KeyType.allCases where type != .ed25519 {
            for half in KeyHalf.allCases {
                attempt { () throws(AsymmetricKeyError) in
                    try AsymmetricKey(type, half, representation: bytes)
                }
            }
        }
        return keys
    }

    @Test func `a truncated key is rejected`() throws {
        for file in try files() {
            let step = max(1, file.count / 60)
            let counts = Array(stride(from: 0, to: file.count, by: step)) + [file.count - 1]
            for count in Sampling.some(20, of: counts, for: "lengths of a key") {
                // A private key's representation starts with the point, which by itself is a valid public key.
                let isPoint = file.first == 4 && Curve.allCases.contains { $0.pointByteCount == count }
                #expect(read(file.prefix(count)).isEmpty || isPoint, "\(count) of \(file.count)")
            }
        }
    }

    @Test func `a key with trailing data is rejected`() throws {
        for file in try files() where file.first == 0x30 || file.first == 4 {
            for tail in [Data([0]), Data([0x30, 0]), Data(count: 100), file] {
                #expect(read(file + tail).isEmpty)
            }
        }
    }

    @Test func `a key with a flipped bit is another key or rejected`() throws {
        var generator = SeededGenerator(seed: 7)
        for file in try files() {
            let original = read(file)
            let bits = stride(from: 0, to: file.count, by: max(1, file.count / 120))
                .map { ($0, Int.random(in: 0..<8, using: &generator)) }
            for (index, bit) in Sampling.some(20, of: bits, for: "bits of a key") {
                for key in read(file.flipped(at: index, bit: bit)) {
                    // Text formats have bits without meaning, such as those of a comment; a private key in binary has
                    // none, so each flipped bit changes it.
                    if key.half == .private { #expect(!original.contains(key)) }
                    _ = key.externalRepresentation
                }
            }
        }
    }

    @Test func `random bytes are rejected`() {
        var generator = SeededGenerator(seed: 11)
        let sizes = [0, 1, 2, 3, 9, 64, 65, 97, 133, 145, 199, 270, 1_000, 5_000]
        for _ in 0..<40 {
            for size in sizes {
                var noise = Data((0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) })
                #expect(read(noise).isEmpty)
                for first in [UInt8(0x30), 4] where size > 0 {
                    noise[0] = first
                    #expect(read(noise).isEmpty)
                }
            }
        }
    }

    // swift-format-ignore
    static let bombs: [(name: String, bytes: Data)] = [
        ("a length of four bytes",     Data([0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]) + Data(count: 100)),
        ("a length of eight bytes",    Data([0x30, 0x88] + [UInt8](repeating: 0xFF, count: 8)) + Data(count: 100)),
        ("a length of 127 bytes",      Data([0x30, 0xFF]) + Data(repeating: 0xFF, count: 127)),
        ("an indefinite length",       Data([0x30, 0x80, 2, 1, 0, 0, 0])),
        ("a length in too many bytes",  Data([0x30, 0x81, 3, 2, 1, 0])),
        ("headers without contents",   Data(repeating: 0x30, count: 32_768)),
        ("a deep nest",                nest(depth: 8_000)),
        ("a nest of 200",              nest(depth: 200)),
        ("many small nodes",           Data([0x30, 0x82, 0x7F, 0x00]) + Data(repeating: 0, count: 0x7F00)),
        ("more than the size limit",   Data([0x30, 0x83, 0x10, 0x00, 0x00]) + Data(count: 0x10_0000)),
        ("an integer of no digits",    Data([0x30, 4, 2, 0, 2, 0])),
        ("negative integers",          Data([0x30, 6, 2, 1, 0xFF, 2, 1, 0xFF])),
    ]

    private static func nest(depth: Int) -> Data {
        var nest = Data()
        for _ in 0..<depth {
            let count = nest.count
            nest =
                (count < 128
                    ? Data([0x30, UInt8(count)]) : Data([0x30, 0x82, UInt8(count >> 8), UInt8(count & 255)]))
                + nest
            if nest.count > 32_000 { break }
        }
        return nest
    }

    @Test(arguments: bombs.indices)
    func `input designed to exhaust a parser is rejected`(index: Int) {
        #expect(read(Self.bombs[index].bytes).isEmpty, "\(Self.bombs[index].name)")
    }

    @Test(arguments: ["512", "768", "1016"])
    func `an RSA key that is too small is rejected`(bits: String) throws {
        let folder = try OpenSSLFolder()
        try folder.openssl("genrsa -out key.pem \(bits)")
        for command in ["rsa -in key.pem -traditional", "pkey -in key.pem", "pkey -in key.pem -pubout"] {
            #expect(throws: AsymmetricKeyError.malformedKey) {
                try AsymmetricKey(file: folder.openssl(command))
            }
        }
    }

    @Test(arguments: [1_024, 1_025, 2_047, 2_050])
    func `an RSA key of an unusual size is parsed and signs`(bits: Int) throws {
        let folder = try OpenSSLFolder()
        try folder.openssl("genrsa -out key.pem \(bits)")
        let key = try AsymmetricKey(file: folder.read("key.pem"))
        #expect(key.bits == bits)
        for algorithm in SignatureTests.algorithms where algorithm.keyType == .rsa {
            let input = Data(count: algorithm.hash?.byteCount ?? 32)
            // An RSA key of 1,024 bits is too short for a PSS signature with SHA-512.
            guard let signature = try? key.signature(of: input, by: algorithm) else {
                #expect(bits < 1_050 && algorithm.hash == .sha512)
                continue
            }
            try key.publicHalf.verify(signature, of: input, by: algorithm)
        }
        for algorithm in EncryptionTests.algorithms where algorithm.keyType == .rsa {
            let ciphertext = try? key.publicHalf.encrypt(Data([1, 2, 3]), by: algorithm)
            #expect((ciphertext != nil) == bits.isMultiple(of: 8))
        }
    }

    @Test(arguments: [8_193, 8_200, 16_384, 100_000])
    func `an RSA modulus that is too large is rejected before it is used`(bits: Int) {
        let bytes = (bits + 7) / 8
        var modulus = Data(repeating: 0xFF, count: bytes)
        modulus[0] = UInt8(truncatingIfNeeded: 0xFF >> (bytes * 8 - bits))
        let integer = Data([0]) + modulus
        let content =
            Data([
                2, 0x83, UInt8(integer.count >> 16), UInt8(integer.count >> 8 & 255),
                UInt8(integer.count & 255),
            ])
            + integer + Data([2, 3, 1, 0, 1])
        let sequence =
            Data([
                0x30, 0x83, UInt8(content.count >> 16), UInt8(content.count >> 8 & 255),
                UInt8(content.count & 255),
            ])
            + content
        #expect(read(sequence).isEmpty)
    }

    @Test func `an RSA private key with inconsistent parts is rejected`() throws {
        let sample = try SampleKey.rsa()
        let good = sample.privateKey.externalRepresentation
        // Damages bytes of several of the key's numbers.
        for index in stride(from: 200, to: good.count, by: 100) {
            #expect(throws: AsymmetricKeyError.malformedKey) {
                try AsymmetricKey(.rsa, .private, representation: good.flipped(at: index))
            }
        }
    }

    @Test(arguments: Curve.allCases)
    func `a point off the curve, or one that does not match the scalar, is rejected`(curve: Curve) throws {
        let (one, other) = (
            try AsymmetricKey(generating: .ellipticCurve(curve)),
            try AsymmetricKey(generating: .ellipticCurve(curve))
        )
        let size = curve.coordinateByteCount
        let pair = one.externalRepresentation
        let wrong = [
            other.publicBytes + pair.suffix(size), pair.flipped(at: pair.count - 1), pair.flipped(at: 5),
            one.publicBytes + Data(count: size), one.publicBytes + Data(repeating: 0xFF, count: size),
            Data([4]) + Data(count: 3 * size), Data([2]) + pair.dropFirst(), Data([0]) + pair.dropFirst(),
        ]
        for bytes in wrong {
            #expect(throws: AsymmetricKeyError.malformedKey) {
                try AsymmetricKey(.ellipticCurve, .private, representation: bytes)
            }
        }
        for bytes in [one.publicBytes.flipped(at: size), Data([4]) + Data(count: 2 * size), Data([0])] {
            #expect(throws: AsymmetricKeyError.malformedKey) {
                try AsymmetricKey(.ellipticCurve, .public, representation: bytes)
            }
        }
    }

    @Test(arguments: [(KeyHalf.public, 49), (.public, 57), (.private, 73), (.private, 85)])
    func `an unsupported curve is recognized by length`(half: KeyHalf, count: Int) {
        #expect(throws: AsymmetricKeyError.unsupportedKey) {
            try AsymmetricKey(.ellipticCurve, half, representation: Data([4]) + Data(count: count - 1))
        }
    }

    @Test(arguments: [
        "", " ", "ssh-rsa", "ssh-rsa AAAA", "ssh-rsa !!!!", "ssh-dss AAAAB3NzaC1kc3M=",
        "ssh-rsa AAAAB3NzaC1yc2H/////", "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTY=",
        "ecdsa-sha2-nistp256 AAAAB3NzaC1yc2E=", "-----BEGIN PUBLIC KEY-----", "-----BEGIN ",
        "-----BEGIN PUBLIC KEY-----\n\n-----END PUBLIC KEY-----\n",
        "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
        "-----BEGIN PUBLIC KEY-----\nMAA=\n-----END PUBLIC KEY-----\n",
        "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n",
    ])
    func `text without a key is rejected`(text: String) {
        #expect(read(Data(text.utf8)).isEmpty)
    }
}
