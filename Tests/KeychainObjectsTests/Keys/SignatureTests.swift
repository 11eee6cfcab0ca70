// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainObjects
import KeychainTestSupport
import Testing

/// Signatures: ours verified by `openssl`, and those of `openssl` verified by this package.
///
/// A thorough run tests every algorithm that is offered, other runs a sample of them.
@Suite struct SignatureTests {
    static let algorithms = KeyAlgorithm.offered { if case .sign = $0 { true } else { false } }

    private let message = Data("a message that is signed".utf8)

    @Test(arguments: Sampling.some(12, of: algorithms, for: "algorithms of signatures"))
    func `openssl accepts our signatures`(algorithm: KeyAlgorithm) throws {
        for sample in try SampleKey.all(for: algorithm) {
            let input = try input(of: algorithm, in: sample)
            let signature = try sample.privateKey.signature(of: input, by: algorithm)
            let name = "signature-\(UUID())"
            try sample.folder.write(algorithm.asDER(signature), to: name)
            let isAccepted = try accepts(name, input, algorithm, sample)
            #expect(isAccepted, "\(sample.testDescription)")
        }
    }

    @Test(arguments: Sampling.some(12, of: algorithms, for: "algorithms of signatures"))
    func `signatures from openssl are valid, and those with a flipped bit are not`(
        algorithm: KeyAlgorithm
    ) throws {
        for sample in try SampleKey.all(for: algorithm) {
            let input = try input(of: algorithm, in: sample)
            let der = try signature(of: input, algorithm, sample)
            let signature = try algorithm.asWeWrite(der, on: sample.privateKey)
            try sample.publicKey.verify(signature, of: input, by: algorithm)
            for index in [0, signature.count / 2, signature.count - 1] {
                #expect(throws: AsymmetricKeyError.signatureMismatch) {
                    try sample.publicKey.verify(signature.flipped(at: index), of: input, by: algorithm)
                }
            }
            #expect(throws: AsymmetricKeyError.signatureMismatch) {
                try sample.publicKey.verify(signature, of: input.flipped(at: 0), by: algorithm)
            }
            for wrong in [Data(), signature.dropLast(), signature + [0], Data(count: signature.count)] {
                #expect(throws: AsymmetricKeyError.signatureMismatch) {
                    try sample.publicKey.verify(wrong, of: input, by: algorithm)
                }
            }
        }
    }

    @Test(arguments: algorithms.filter { $0.isOfDigest && $0.hash != nil })
    func `a digest of the wrong size is rejected`(algorithm: KeyAlgorithm) throws {
        let size = try #require(algorithm.hash?.byteCount)
        for sample in try SampleKey.all(for: algorithm) {
            for count in [0, size - 1, size + 1] {
                #expect(throws: AsymmetricKeyError.wrongInput) {
                    try sample.privateKey.signature(of: Data(count: count), by: algorithm)
                }
                #expect(throws: AsymmetricKeyError.wrongInput) {
                    try sample.publicKey.verify(Data(count: 64), of: Data(count: count), by: algorithm)
                }
            }
        }
    }

    @Test(arguments: [0, 1, 20, 28, 32, 47, 48, 64, 65, 66, 100, 1_000])
    func `ECDSA signs the first bits of a digest of any size`(count: Int) throws {
        let algorithm = try #require(KeyAlgorithm(named: "algid:sign:ECDSA:digest-X962"))
        for sample in try SampleKey.all(for: algorithm) {
            let digest = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) })
            let signature = try sample.privateKey.signature(of: digest, by: algorithm)
            try sample.publicKey.verify(signature, of: digest, by: algorithm)
            // Verification ignores the bytes of a digest beyond the size of the curve's field.
            let fieldBytes = sample.privateKey.bits / 8
            if fieldBytes < count, sample.privateKey.bits.isMultiple(of: 8) {
                try sample.publicKey.verify(signature, of: digest.prefix(fieldBytes), by: algorithm)
            }
        }
    }

    @Test(arguments: [
        Data([0x30, 0]), Data([0x30, 0x80, 0, 0]), Data([0x30, 6, 0x22, 1, 1, 2, 1, 1]),
        Data([0x30, 6, 2, 1, 0, 2, 1, 0]), Data([0x30, 6, 2, 1, 0xFF, 2, 1, 0xFF]),
        Data([0x30, 4, 2, 0, 2, 0]),
        Data([0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]), Data([0x30, 0x88] + [UInt8](repeating: 0xFF, count: 8)),
        Data([0x30, 7, 2, 2, 0, 1, 2, 1, 1]), Data([0x30, 7, 2, 1, 1, 2, 1, 1, 0]),
        Data([0x3F, 0xFF, 0xFF, 0xFF]),
        Data(repeating: 0x30, count: 100),
        Data([0x30, 0x7E]) + Data((0..<63).flatMap { _ in [0x30, 0] as [UInt8] }),
        Data([0x30, 0x48, 2, 0x21]) + Data(repeating: 0x7F, count: 33) + Data([2, 0x23])
            + Data(repeating: 0x7F, count: 35),
        Data(count: 100_000),
    ])
    func `a signature designed to exhaust a parser is invalid`(signature: Data) throws {
        for algorithm in Self.algorithms where algorithm.keyType == .ellipticCurve && !algorithm.isOfDigest {
            for sample in try SampleKey.all(for: algorithm) {
                #expect(throws: AsymmetricKeyError.signatureMismatch) {
                    try sample.publicKey.verify(signature, of: message, by: algorithm)
                }
            }
        }
    }

    @Test func `messages of any size are signed`() throws {
        for algorithm in Self.algorithms where !algorithm.isOfDigest {
            for sample in try SampleKey.all(for: algorithm) {
                for message in [Data(), Data(count: 1), Data(count: 100_000)] {
                    let signature = try sample.privateKey.signature(of: message, by: algorithm)
                    try sample.publicKey.verify(signature, of: message, by: algorithm)
                }
            }
        }
    }

    // MARK: openssl

    private func input(of algorithm: KeyAlgorithm, in sample: SampleKey) throws -> Data {
        guard algorithm.isOfDigest else { return message }
        let name = "message-\(UUID())"
        try sample.folder.write(message, to: name)
        return try sample.folder.openssl("dgst -\(algorithm.opensslHash) -binary \(name)")
    }

    private func accepts(
        _ signature: String,
        _ input: Data,
        _ algorithm: KeyAlgorithm,
        _ sample: SampleKey
    ) throws -> Bool {
        let name = "input-\(UUID())"
        try sample.folder.write(input, to: name)
        let options = algorithm.opensslOptions
        return sample.folder.opensslAccepts(
            algorithm.isOfDigest
                ? "pkeyutl -verify -pubin -inkey public.pem -in \(name) -sigfile \(signature)\(options)"
                : "dgst -\(algorithm.opensslHash) -verify public.pem -signature \(signature)\(options) \(name)"
        )
    }

    private func signature(of input: Data, _ algorithm: KeyAlgorithm, _ sample: SampleKey) throws -> Data {
        let name = "input-\(UUID())"
        try sample.folder.write(input, to: name)
        let options = algorithm.opensslOptions
        return try sample.folder.openssl(
            algorithm.isOfDigest
                ? "pkeyutl -sign -inkey key.pem -in \(name)\(options)"
                : "dgst -\(algorithm.opensslHash) -sign key.pem\(options) \(name)"
        )
    }
}

extension KeyAlgorithm {
    var isOfDigest: Bool { if case .sign(_, of: .digest) = task { true } else { false } }

    private var isRaw: Bool { if case .sign(.rfc4754, of: _) = task { true } else { false } }

    fileprivate var opensslOptions: String {
        guard keyType == .rsa, case .sign(let form, of: let input) = task else { return "" }
        let option = input == .digest ? " -pkeyopt " : " -sigopt "
        let hash = input == .digest ? "\(option)digest:\(opensslHash)" : ""
        guard form == .pss else { return hash }
        return "\(option)rsa_padding_mode:pss\(hash)\(option)rsa_pss_saltlen:digest"
    }

    /// Returns a signature in the DER encoding that `openssl` expects.
    fileprivate func asDER(_ signature: Data) -> Data {
        guard isRaw else { return signature }
        let halves = [signature.prefix(signature.count / 2), signature.suffix(signature.count / 2)]
        let body = halves.reduce(into: Data()) { body, half in
            let digits = half.drop { $0 == 0 }
            let padded = digits.first.map { $0 >= 0x80 } ?? true ? Data([0]) + digits : Data(digits)
            body += [2, UInt8(padded.count)] + padded
        }
        return Data(body.count < 128 ? [0x30, UInt8(body.count)] : [0x30, 0x81, UInt8(body.count)]) + body
    }

    /// Returns a signature of `openssl` in the algorithm's own encoding.
    fileprivate func asWeWrite(_ der: Data, on key: AsymmetricKey) throws -> Data {
        guard isRaw else { return der }
        var rest = der.dropFirst(der[der.startIndex + 1] < 0x80 ? 2 : 3)
        var signature = Data()
        for _ in 0..<2 {
            let count = Int(rest[rest.startIndex + 1])
            let digits = rest.dropFirst(2).prefix(count).drop { $0 == 0 }
            signature += Data(count: key.blockSize - digits.count) + digits
            rest = rest.dropFirst(2 + count)
        }
        return signature
    }
}
