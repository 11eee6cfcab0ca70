// SPDX-License-Identifier: Apache-2.0

#if Objects
package import FoundationEssentials
import SwiftASN1

extension AsymmetricKey {
    /// Takes a key file: PEM, DER or a line of OpenSSH, of either half, in whichever form it is.
    ///
    /// - Throws: `encryptedKey` if the file wants a passphrase; `malformedKey` if there is no key in it;
    ///   `unsupportedKey` if there is one of another kind.
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

    /// Takes the first key of a PEM text; blocks of other things, such as the name of a curve, are passed over.
    package init(pem text: String) throws(AsymmetricKeyError) {
        for var block in try PEMBlock.all(in: text) {
            defer { block.bytes.erase() }
            guard let key = try AsymmetricKey(block) else { continue }
            self = key
            return
        }
        throw .malformedKey
    }

    /// Takes DER in whichever form its shape shows.
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

    /// The kinds of what is in the outer SEQUENCE.
    private static func shape(of bytes: Data) throws(AsymmetricKeyError) -> [ASN1Identifier] {
        try [UInt8].lending(bytes) { bytes throws(AsymmetricKeyError) in
            try AsymmetricKeyError.catching(.malformedKey) {
                try DER.sequence(try DER.parse(bytes), identifier: .sequence) { nodes in
                    var shape: [ASN1Identifier] = []
                    while let node = nodes.next() { shape.append(node.identifier) }
                    return shape
                }
            }
        }
    }

    /// The key as a block of a PEM text; its bytes are the caller's to erase.
    ///
    /// - Throws: `unsupportedKey` where the form is not for this type or half, or is text already.
    package func exposedBlock(as format: KeyFormat) throws(AsymmetricKeyError) -> PEMBlock {
        guard let label = format.label(for: half) else { throw .unsupportedKey }
        return PEMBlock(label: label, bytes: try exposed(as: format))
    }
}
#endif
