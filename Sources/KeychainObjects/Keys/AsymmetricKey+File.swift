// SPDX-License-Identifier: Apache-2.0

#if Objects
package import FoundationEssentials
import SwiftASN1

extension AsymmetricKey {
    /// Parses a key file of any supported format: PEM, DER or an OpenSSH line.
    ///
    /// - Throws: `encryptedKey` if the file needs a passphrase; `malformedKey` if it contains no key or a malformed
    ///   one, or is too large; `unsupportedKey` if the key is of an unsupported type.
    package init(file bytes: Data) throws(AsymmetricKeyError) {
        guard bytes.count <= Self.largestFile else { throw .malformedKey }
        guard bytes.first != 0x30 else {
            try self.init(der: bytes)
            return
        }
        guard let text = String(data: bytes, encoding: .utf8) else { throw .malformedKey }
        if text.contains("-----BEGIN ") {
            try self.init(pem: text)
        } else {
            try self.init(openSSHLine: text)
        }
    }

    /// Parses the first key in PEM, after skipping blocks such as curve parameters.
    package init(pem text: String) throws(AsymmetricKeyError) {
        for var block in try PEMBlock.all(in: text) {
            defer { block.bytes.erase() }
            guard let key = try AsymmetricKey(block) else { continue }
            self = key
            return
        }
        throw .malformedKey
    }

    /// Parses DER after detecting the format from its structure.
    package init(der bytes: Data) throws(AsymmetricKeyError) {
        guard bytes.count <= Self.largestFile else { throw .malformedKey }
        switch try Self.shape(of: bytes) {
        case [.integer, .integer]: try self.init(pkcs1Public: bytes)
        case let shape where shape.starts(with: [.integer, .integer, .integer]):
            try self.init(pkcs1Private: bytes)
        case let shape where shape.starts(with: [.integer, .octetString]): try self.init(sec1: bytes)
        case let shape where shape.starts(with: [.integer, .sequence, .octetString]):
            try self.init(pkcs8: bytes)
        case [.sequence, .bitString]: try self.init(subjectPublicKeyInfo: bytes)
        case [.sequence, .octetString]: throw .encryptedKey
        default: throw .malformedKey
        }
    }

    /// Returns the types of the elements within the outer SEQUENCE.
    private static func shape(of bytes: Data) throws(AsymmetricKeyError) -> [ASN1Identifier] {
        try [UInt8].withErasedCopy(of: bytes) { bytes throws(AsymmetricKeyError) in
            try AsymmetricKeyError.catching(.malformedKey) {
                try DER.sequence(try DER.parse(bytes), identifier: .sequence) { nodes in
                    var shape: [ASN1Identifier] = []
                    while let node = nodes.next() { shape.append(node.identifier) }
                    return shape
                }
            }
        }
    }

    /// Exports the key as a PEM block, whose bytes the caller must erase.
    ///
    /// - Throws: `unsupportedKey` if the format has no PEM form for this type of public or private key, or if the key
    ///   is in a token.
    package func exportedBlock(as format: KeyFormat) throws(AsymmetricKeyError) -> PEMBlock {
        guard let label = format.label(for: half) else { throw .unsupportedKey }
        return PEMBlock(label: label, bytes: try exported(as: format))
    }
}
#endif
