// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainObjects
import KeychainTestSupport
import Testing

/// A pair of keys that `openssl` has made, as its files and as ours; the files are gone with the sample.
final class SampleKey: Sendable, CustomTestStringConvertible {
    /// A pair as text: made once for all tests, and no file.
    private struct Texts: Sendable {
        let name: String
        let privateKey: Data
        let publicKey: Data

        init(_ name: String, _ options: String) throws {
            let folder = try OpenSSLFolder()
            try folder.openssl("genpkey \(options) -out key.pem")
            self.name = name
            privateKey = try folder.read("key.pem")
            publicKey = try folder.openssl("pkey -in key.pem -pubout")
        }

        static let rsa = Result { try Texts("RSA 2048", "-algorithm RSA -pkeyopt rsa_keygen_bits:2048") }
        static let curves = Curve.allCases.map { curve in
            Result {
                try Texts("P-\(curve.bits)", "-algorithm EC -pkeyopt ec_paramgen_curve:P-\(curve.bits)")
            }
        }
    }

    let testDescription: String
    /// Holds `key.pem` and `public.pem`.
    let folder: OpenSSLFolder
    let privateKey: AsymmetricKey
    let publicKey: AsymmetricKey

    private init(_ texts: Texts) throws {
        testDescription = texts.name
        folder = try OpenSSLFolder()
        try folder.write(texts.privateKey, to: "key.pem")
        try folder.write(texts.publicKey, to: "public.pem")
        privateKey = try AsymmetricKey(file: texts.privateKey)
        publicKey = try AsymmetricKey(file: texts.publicKey)
    }

    static func rsa() throws -> SampleKey { try SampleKey(Texts.rsa.get()) }

    /// One of each kind.
    static func all() throws -> [SampleKey] { try [rsa()] + Texts.curves.map { try SampleKey($0.get()) } }

    /// Those that an algorithm is for.
    static func all(for algorithm: KeyAlgorithm) throws -> [SampleKey] {
        try all().filter { $0.privateKey.type == algorithm.keyType }
    }
}

/// The rows of the table of algorithms that do something, as arguments of tests.
extension KeyAlgorithm: CustomTestStringConvertible {
    /// The name of the algorithm.
    public var testDescription: String { name }

    static func offered(_ isWanted: (Task) -> Bool) -> [KeyAlgorithm] {
        table.filter { $0.obstacle == nil && isWanted($0.task) }
    }

    /// How `openssl` names the hash.
    var opensslHash: String { hash.map { $0.rawValue.replacing("-", with: "").lowercased() } ?? "sha256" }
}

extension Data {
    /// The same bytes with one bit turned.
    func flipped(at index: Int, bit: Int = 0) -> Data {
        var copy = self
        copy[copy.startIndex + index] ^= 1 << bit
        return copy
    }

    var hexadecimal: String { map { String(format: "%02x", $0) }.joined() }

    init(hexadecimal text: some StringProtocol) {
        self.init()
        var rest = text[...]
        while let high = rest.popFirst()?.hexDigitValue, let low = rest.popFirst()?.hexDigitValue {
            append(UInt8(high << 4 | low))
        }
    }
}
