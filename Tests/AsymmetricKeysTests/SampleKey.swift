// SPDX-License-Identifier: Apache-2.0

import AsymmetricKeys
import Foundation
import KeychainTestSupport
import Testing

/// A pair of keys that `openssl` has made, as its files and as ours.
final class SampleKey: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Holds `key.pem` and `public.pem`.
    let folder: OpenSSLFolder
    let privateKey: AsymmetricKey
    let publicKey: AsymmetricKey

    private init(_ name: String, _ options: String) throws {
        testDescription = name
        folder = try OpenSSLFolder()
        try folder.openssl("genpkey \(options) -out key.pem")
        try folder.openssl("pkey -in key.pem -pubout -out public.pem")
        privateKey = try AsymmetricKey(file: folder.read("key.pem"))
        publicKey = try AsymmetricKey(file: folder.read("public.pem"))
    }

    static let rsa = Result { try SampleKey("RSA 2048", "-algorithm RSA -pkeyopt rsa_keygen_bits:2048") }
    static let curves = Curve.allCases.map { curve in
        Result {
            try SampleKey("P-\(curve.bits)", "-algorithm EC -pkeyopt ec_paramgen_curve:P-\(curve.bits)")
        }
    }

    /// One of each kind.
    static func all() throws -> [SampleKey] { try [rsa.get()] + curves.map { try $0.get() } }

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
