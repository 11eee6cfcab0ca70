// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainModel

/// Names the unsupported kind of key in a file that could not be imported.
enum UnsupportedKey {
    /// The message about the unsupported key in a file; `nil` if no such key is recognized.
    static func detail(of bytes: Data, _ status: Status) -> String? {
        if status == .unsupportedFormat, bytes.contains(Data("-----BEGIN OPENSSH PRIVATE KEY-----".utf8)) {
            return
                "an encrypted private key in OpenSSH's own format can be imported only if the file contains nothing else"
        }
        let contents = [bytes] + blocks(of: bytes)
        let kind = kinds.first { kind in contents.contains { $0.contains(kind.identifier) } }
        return kind.map { unsupported($0.name) }
    }

    private static func unsupported(_ name: String) -> String {
        "\(name) keys are not supported; RSA, Ed25519 and the curves P-256, P-384 and P-521 are"
    }

    /// The algorithm identifiers of RFC 8410 in DER, as private and public keys contain them.
    private static let kinds: [(name: String, identifier: Data)] = [
        ("Ed448", Data([0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x71])),
        ("X25519", Data([0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x6E])),
        ("X448", Data([0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x6F])),
    ]

    /// The decoded contents of the PEM blocks in a file.
    private static func blocks(of bytes: Data) -> [Data] {
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        var (blocks, block) = ([] as [Data], nil as String?)
        for line in lines {
            if line.hasPrefix("-----BEGIN ") {
                block = ""
            } else if line.hasPrefix("-----END ") {
                if let data = block.flatMap({ Data(base64Encoded: $0) }) { blocks.append(data) }
                block = nil
            } else {
                block?.append(contentsOf: line.filter { !$0.isWhitespace })
            }
        }
        return blocks
    }
}
