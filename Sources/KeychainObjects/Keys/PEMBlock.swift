// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// One of the objects in a PEM text: what it is called, and its DER.
package struct PEMBlock: Sendable {
    /// What stands between the dashes, such as `CERTIFICATE`.
    package let label: String
    package var bytes: Data

    package init(label: String, bytes: Data) {
        self.label = label
        self.bytes = bytes
    }

    /// The blocks of a text in their order; whatever stands between them is passed over.
    ///
    /// Lines may be of any length, and have blanks around them: SwiftASN1 wants 64 characters in each, and other
    /// programs write 70, 76 or all in one. Source: RFC 7468, whose lax form this is.
    ///
    /// - Throws: `encryptedKey` if a block is encrypted in the way from before PKCS#8; `malformedKey` if a block is cut
    ///   off, is empty or has other than base64 in it.
    package static func all(in text: String) throws(AsymmetricKeyError) -> [PEMBlock] {
        // Such a block has lines in front of its digits.
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

    /// The block as text, with a newline at its end.
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
    /// The line without the blanks around it.
    fileprivate var trimmed: Self {
        let start = self.drop(while: \.isBlank)
        guard let last = start.lastIndex(where: { !$0.isBlank }) else { return start.prefix(0) }
        return start[...last]
    }

    /// What stands between the dashes of a line that begins so; `nil` for any other line.
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
    /// Takes the key of a block; `nil` if it holds something else, such as the name of a curve.
    ///
    /// - Throws: `encryptedKey` if the key is encrypted; `unsupportedKey` if it is of a kind that is not read, or
    ///   is not known.
    package init?(_ block: PEMBlock) throws(AsymmetricKeyError) {
        switch block.label {
        case "RSA PRIVATE KEY": try self.init(pkcs1Private: block.bytes)
        case "RSA PUBLIC KEY": try self.init(pkcs1Public: block.bytes)
        case "EC PRIVATE KEY": try self.init(sec1: block.bytes)
        case "PRIVATE KEY": try self.init(pkcs8: block.bytes)
        case "PUBLIC KEY": try self.init(subjectPublicKeyInfo: block.bytes)
        case "ENCRYPTED PRIVATE KEY": throw .encryptedKey
        case let label where Self.labelsOfOthers.contains(label): return nil
        default: throw .unsupportedKey
        }
    }

    /// What stands beside keys and is none: nothing is lost where it is left out.
    private static let labelsOfOthers: Set<String> = [
        "EC PARAMETERS", "DH PARAMETERS", "X9.42 DH PARAMETERS", "DSA PARAMETERS", "PARAMETERS",
        "CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST", "X509 CRL",
    ]
}
#endif
