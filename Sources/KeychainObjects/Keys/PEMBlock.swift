// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// A PEM block: its label and decoded bytes.
package struct PEMBlock: Sendable {
    /// The label between the dashes, such as `CERTIFICATE`.
    package let label: String
    package var bytes: Data

    package init(label: String, bytes: Data) {
        self.label = label
        self.bytes = bytes
    }

    /// Parses all blocks in order, skipping anything between them.
    ///
    /// Lines may have any length and surrounding white space, as in the lax form of RFC 7468. SwiftASN1 requires 64
    /// characters per line, but other programs write 70 or 76 characters per line, or a single line.
    ///
    /// - Throws: `encryptedKey` if a block uses the legacy encryption that predates PKCS#8; `malformedKey` if
    ///   a block is truncated, empty or not base64.
    package static func all(in text: String) throws(AsymmetricKeyError) -> [PEMBlock] {
        // A block with legacy encryption has header lines before the base64.
        guard !text.contains("Proc-Type: 4,ENCRYPTED") else { throw .encryptedKey }
        var blocks: [PEMBlock] = []
        var current: String?
        var digits = Data()
        defer { digits.erase() }
        for line in text.utf8.split(whereSeparator: \.isLineEnd) {
            let line = line.trimmed
            if let label = line.label(after: "-----BEGIN ") {
                guard current == nil else { throw .malformedKey }
                current = label
            } else if let label = current {
                guard line.starts(with: "-----END ".utf8) else {
                    digits.append(contentsOf: line)
                    continue
                }
                guard line.label(after: "-----END ") == label, let bytes = Data(base64Encoded: digits),
                    !bytes.isEmpty
                else { throw .malformedKey }
                blocks.append(PEMBlock(label: label, bytes: bytes))
                digits.erase()
                digits.removeAll()
                current = nil
            }
        }
        guard current == nil else { throw .malformedKey }
        return blocks
    }

    /// The block as PEM, ending in a newline.
    package var text: String {
        let digits = bytes.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN \(label)-----\n\(digits)\n-----END \(label)-----\n"
    }
}

extension UInt8 {
    fileprivate var isLineEnd: Bool { self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }
    fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}

extension Substring.UTF8View {
    fileprivate var trimmed: Self {
        let start = self.drop(while: \.isBlank)
        guard let last = start.lastIndex(where: { !$0.isBlank }) else { return start.prefix(0) }
        return start[...last]
    }

    /// The label of a boundary line with this prefix; `nil` for other lines.
    fileprivate func label(after beginning: String) -> String? {
        let dashes = "-----"
        guard starts(with: beginning.utf8), suffix(dashes.utf8.count).elementsEqual(dashes.utf8),
            count >= beginning.utf8.count + dashes.utf8.count
        else { return nil }
        return String(Substring(dropFirst(beginning.utf8.count).dropLast(dashes.utf8.count)))
    }
}

#if Objects
extension AsymmetricKey {
    /// Parses the key in a block; `nil` for a block to ignore, such as curve parameters.
    ///
    /// - Throws: `encryptedKey` if the key is encrypted; `unsupportedKey` if the label is unknown or the key is of an
    ///   unsupported type; `malformedKey` if the bytes are not a key of the type that the label names.
    package init?(_ block: PEMBlock) throws(AsymmetricKeyError) {
        switch block.label {
        case "RSA PRIVATE KEY": try self.init(pkcs1Private: block.bytes)
        case "RSA PUBLIC KEY": try self.init(pkcs1Public: block.bytes)
        case "EC PRIVATE KEY": try self.init(sec1: block.bytes)
        case "PRIVATE KEY": try self.init(pkcs8: block.bytes)
        case "PUBLIC KEY": try self.init(subjectPublicKeyInfo: block.bytes)
        case OpenSSHPrivateKey.label: try self.init(openSSHPrivateKey: block.bytes)
        case "ENCRYPTED PRIVATE KEY": throw .encryptedKey
        case let label where Self.ignoredLabels.contains(label): return nil
        default: throw .unsupportedKey
        }
    }

    /// The labels of blocks that are ignored because they occur next to keys in key files.
    private static let ignoredLabels: Set<String> = [
        "EC PARAMETERS", "DH PARAMETERS", "X9.42 DH PARAMETERS", "DSA PARAMETERS", "PARAMETERS",
        "CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST", "X509 CRL",
    ]
}
#endif
