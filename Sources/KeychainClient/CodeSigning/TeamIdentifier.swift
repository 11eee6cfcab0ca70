// SPDX-License-Identifier: Apache-2.0

import KeychainModel
package import KeychainStore

/// A team's identifier: 16 base32 characters, 80 bits, derived from its public key.
///
/// Apple's identifiers have only ten characters. Ten base32 characters have 50 bits, and an attacker could find
/// a second key with the same identifier.
package struct TeamIdentifier: Hashable, Sendable {
    package let text: String

    package static let characterCount = 16

    package init(of publicKey: Ed25519PublicKey) {
        text = Base32.text(
            ofFirst10: Bytes32(digestOf: Array("keychain team 1\0".utf8) + publicKey.bytes.bytes)
        )
    }

    /// Parses an identifier; `nil` unless it is 16 characters of base32.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count == Self.characterCount, text.utf8.allSatisfy(Base32.isDigit) else { return nil }
        self.text = String(text)
    }

    /// The prefix of the team's groups: the identifier and a dot.
    package var prefix: String { text + "." }
}

extension ExecutableDigest {
    /// The access group of an unsigned executable that the administrator has not registered.
    ///
    /// The group is derived from the executable's digest, so it changes with every update of the program.
    package var privateGroup: String { PrivateGroup.unsignedPrefix + Base32.text(ofFirst10: digest) }
}

/// Base32 (RFC 4648) without padding.
enum Base32 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    static func isDigit(_ character: UInt8) -> Bool { digits.contains(character) }

    /// Encodes the first ten bytes of a digest as 16 characters.
    static func text(ofFirst10 digest: Bytes32) -> String {
        var (text, bits, pending) = ([] as [UInt8], 0, 0 as UInt)
        for byte in digest.bytes.prefix(10) {
            pending = pending << 8 | UInt(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(digits[Int(pending >> UInt(bits) & 31)])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
