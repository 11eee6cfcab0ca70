// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainModel
import KeychainStore
import Testing

/// A signature in `Tests/Fixtures/signatures`, written by an independent implementation.
struct SignatureVector: Sendable, CustomTestStringConvertible {
    let name: String
    let inputs: [String: String]
    let bytes: [UInt8]

    var testDescription: String { name }
    var expectation: String { inputs["expect"] ?? "" }

    static let all: [SignatureVector] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Fixtures/signatures").standardizedFileURL
        let files =
            (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        return files.sorted { $0.path < $1.path }.compactMap { try? SignatureVector(file: $0) }
    }()

    static let valid = all.filter { $0.expectation == "success" }
    static let damaged = all.filter { $0.expectation != "success" }

    static func named(_ name: String) throws -> SignatureVector {
        try #require(all.first { $0.name == name })
    }

    private init(file: URL) throws {
        name = file.deletingPathExtension().lastPathComponent
        let lines = try String(contentsOf: file, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
        let head = lines.prefix { !$0.isEmpty }
        inputs = Dictionary(
            uniqueKeysWithValues: try head.map { line in
                let colon = try #require(line.firstRange(of: ": "))
                return (String(line[..<colon.lowerBound]), String(line[colon.upperBound...]))
            }
        )
        bytes = try Self.bytes(lines.dropFirst(head.count).joined())
    }

    private static func bytes(_ digits: String) throws -> [UInt8] {
        let digits = Array(digits.utf8)
        return try stride(from: 0, to: digits.count - 1, by: 2).map { index in
            try #require(UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16))
        }
    }

    func text(_ name: String) throws -> String { try #require(inputs[name]) }

    func data(_ name: String) throws -> [UInt8] { try Self.bytes(try text(name)) }

    func number<Number: FixedWidthInteger>(_ name: String) throws -> Number {
        try #require(try Number(text(name)))
    }

    func list(_ name: String) throws -> [String] {
        let text = try text(name)
        return text == "none" ? [] : text.components(separatedBy: ", ")
    }

    func key(_ name: String) throws -> Ed25519PrivateKey {
        let seed = try data(name).withUnsafeBytes { SecretKey(copying: $0) }
        return Ed25519PrivateKey(seed: try #require(seed))
    }

    func statement() throws -> SignedStatement {
        let executable = try data("executable")
        return SignedStatement(
            executable: ExecutableDigest(
                digest: Bytes32(digestOf: executable),
                size: UInt64(executable.count)
            ),
            certificate: SigningKeyCertificate(
                of: try key("signing-seed").publicKey,
                serial: try number("serial"),
                validUntil: try number("valid-until"),
                by: try key("team-seed")
            ),
            signedAt: try number("signed-at"),
            expires: try number("expires"),
            isGroupLevelOnly: try text("flags") == "1",
            entitlements: SignedEntitlements(
                identifier: try text("identifier"),
                accessGroups: try list("access-groups"),
                applicationGroups: try list("application-groups")
            )
        )
    }
}

extension SignatureDamage {
    /// The name of the error in the vectors' files.
    var name: String {
        switch self {
        case .entitlements(let defect): String("\(defect)".prefix { $0 != "(" })
        default: "\(self)"
        }
    }
}
