// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore

/// 128 random bits that a user types or writes down.
///
/// Written as 26 characters of Crockford's base 32, which has no letters that look like digits, and two
/// characters that detect typing errors.
struct TypedCode: Sendable {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    private static let byteCount = 16

    private let bytes: [UInt8]
    /// The code as a key: the bytes, followed by zeros.
    let secret: SecretKey

    init(bytes: [UInt8]) {
        self.bytes = bytes
        var padded = bytes + [UInt8](repeating: 0, count: 32 - bytes.count)
        defer { padded.wipe() }
        // `padded` always has the 32 bytes of a key, so `?? .random()` is never used.
        secret = unsafe padded.withUnsafeBytes { unsafe SecretKey(copying: $0) } ?? .random()
    }

    static func random() -> Self { Self(bytes: SynchronizationCryptography.randomBytes(byteCount)) }

    /// Parses a typed code; `nil` if it has an invalid character, length or checksum.
    ///
    /// Spaces, hyphens and case are ignored; O means 0, I and L mean 1.
    init?(_ text: String) {
        var values: [UInt16] = []
        for var character in text.utf8 where character != 0x20 && character != 0x2D {
            if (0x61...0x7A).contains(character) { character -= 0x20 }
            switch character {
            case 0x4F: character = 0x30
            case 0x49, 0x4C: character = 0x31
            default: break
            }
            guard let value = Self.alphabet.firstIndex(of: character) else { return nil }
            values.append(UInt16(value))
        }
        guard values.count == 28 else { return nil }
        var (bytes, buffer, bits) = ([UInt8](), UInt32(0), 0)
        for value in values.prefix(26) {
            buffer = buffer << 5 | UInt32(value)
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
            }
        }
        guard bytes.count == Self.byteCount, buffer & 3 == 0,
            Self.check(bytes) == values[26] << 5 | values[27]
        else { return nil }
        self.init(bytes: bytes)
    }

    /// The code as text, in groups of four characters.
    var exposedText: String {
        var (values, buffer, bits) = ([Int](), UInt32(0), 0)
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                values.append(Int(buffer >> UInt32(bits) & 31))
            }
        }
        values.append(Int(buffer << UInt32(5 - bits) & 31))
        let check = Self.check(bytes)
        values += [Int(check >> 5), Int(check & 31)]
        var text = ""
        for (index, value) in values.enumerated() {
            if index > 0, index % 4 == 0 { text += "-" }
            text += String(UnicodeScalar(Self.alphabet[value]))
        }
        return text
    }

    /// Returns the ten check bits of a code, which detect typing errors: the start of its digest.
    private static func check(_ bytes: [UInt8]) -> UInt16 {
        let digest = SynchronizationCryptography.digest("kc-code-1", bytes).bytes
        return (UInt16(digest[0]) << 8 | UInt16(digest[1])) >> 6
    }
}
