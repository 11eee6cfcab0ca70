// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import SwiftASN1

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
    /// - Throws: `encryptedKey` if a block is encrypted in the way from before PKCS#8; `unsupportedKey` for a private key
    ///   of OpenSSH; `malformedKey` if a block is cut off or has other than base64 in it.
    package static func all(in text: String) throws(AsymmetricKeyError) -> [PEMBlock] {
        // Such a block has lines in front of its digits, which the parser refuses.
        guard !text.contains("Proc-Type: 4,ENCRYPTED") else { throw .encryptedKey }
        // Its lines are longer than the parser takes.
        guard !text.contains("-----BEGIN OPENSSH PRIVATE KEY-----") else { throw .unsupportedKey }
        return try AsymmetricKeyError.catching(.malformedKey) {
            try PEMDocument.parseMultiple(pemString: text).map {
                PEMBlock(label: $0.discriminator, bytes: Data($0.derBytes))
            }
        }
    }

    /// The block as text, with a newline at its end.
    package var text: String { PEMDocument(type: label, derBytes: [UInt8](bytes)).pemString + "\n" }
}

extension AsymmetricKey {
    /// Takes the key of a block; `nil` if it holds something else, such as the name of a curve.
    ///
    /// - Throws: `encryptedKey` if the key is encrypted; `unsupportedKey` if it is of a kind that is not read.
    package init?(_ block: PEMBlock) throws(AsymmetricKeyError) {
        switch block.label {
        case "RSA PRIVATE KEY": try self.init(pkcs1Private: block.bytes)
        case "RSA PUBLIC KEY": try self.init(pkcs1Public: block.bytes)
        case "EC PRIVATE KEY": try self.init(sec1: block.bytes)
        case "PRIVATE KEY": try self.init(pkcs8: block.bytes)
        case "PUBLIC KEY": try self.init(subjectPublicKeyInfo: block.bytes)
        case "ENCRYPTED PRIVATE KEY": throw .encryptedKey
        case let label where label.hasSuffix("PRIVATE KEY"): throw .unsupportedKey
        default: return nil
        }
    }
}
