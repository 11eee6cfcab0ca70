// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// A file with one encrypted private key in OpenSSH's own format, whose header is not encrypted.
package struct EncryptedOpenSSHKey {
    /// The rounds of bcrypt that derive the key from the passphrase; ssh-keygen's default is 16.
    package let rounds: UInt32

    private static let largestFile = 1 << 16

    /// Parses a file; `nil` unless it contains exactly one PEM block, with an encrypted OpenSSH private key.
    ///
    /// The result is also `nil` for a file of more than 64 KiB.
    package init?(_ file: Data) {
        guard file.count <= Self.largestFile,
            let blocks = try? PEMBlock.all(in: String(decoding: file, as: UTF8.self)),
            let block = blocks.first, blocks.count == 1, block.label == OpenSSHPrivateKey.label,
            block.bytes.starts(with: OpenSSHPrivateKey.magic)
        else { return nil }
        var fields = SSHFields(Data(block.bytes.dropFirst(OpenSSHPrivateKey.magic.count)))
        guard (try? fields.nextString()) != nil, (try? fields.nextString()) == "bcrypt",
            let options = try? fields.next()
        else { return nil }
        var parameters = SSHFields(options)
        guard (try? parameters.next()) != nil, let rounds = try? parameters.nextInteger() else { return nil }
        self.rounds = rounds
    }
}
