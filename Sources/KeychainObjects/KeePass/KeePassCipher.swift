// SPDX-License-Identifier: Apache-2.0

#if KeePass
import CKeychainKeePass
import Crypto
import CryptoExtras
import FoundationEssentials

/// The cipher of the contents of a KeePass database.
enum KeePassCipher {
    case aes, chaCha20

    /// Finds a cipher by its identifier; `nil` for an unsupported one, for example Twofish.
    init?(identifier: ArraySlice<UInt8>) {
        switch KeePassKey.text(identifier) {
        case "31c1f2e6bf714350be5805216afc5aff": self = .aes
        case "d6038a2b8b6f4cb5a524339a31dbb59a": self = .chaCha20
        default: return nil
        }
    }

    var nonceSize: Int { self == .aes ? 16 : 12 }

    func decrypt(_ bytes: [UInt8], key: SymmetricKey, nonce: [UInt8]) throws(KeePassError) -> [UInt8] {
        switch self {
        case .aes:
            guard let vector = try? AES._CBC.IV(ivBytes: nonce),
                let contents = try? AES._CBC.decrypt(bytes, using: key, iv: vector)
            else { throw .damaged }
            return Array(contents)
        case .chaCha20:
            var stream = KeePassStream.chaCha20(key: key, nonce: nonce)
            return stream.decrypt(bytes)
        }
    }
}

/// A stream cipher that decrypts one value after the other.
struct KeePassStream {
    private enum Cipher { case none, salsa20, chaCha20 }

    private let cipher: Cipher
    private let key: SymmetricKey
    private let nonce: [UInt8]
    /// The number of decrypted bytes.
    private var position = 0

    private init(_ cipher: Cipher, key: SymmetricKey, nonce: [UInt8]) {
        self.cipher = cipher
        self.key = key
        self.nonce = nonce
    }

    /// A stream that returns its input unchanged.
    static var none: Self { Self(.none, key: SymmetricKey(size: .bits128), nonce: []) }

    /// The ChaCha20 stream of RFC 8439, with a block counter that starts at 0.
    static func chaCha20(key: SymmetricKey, nonce: [UInt8]) -> Self {
        Self(.chaCha20, key: key, nonce: nonce)
    }

    /// Creates the stream that decrypts the values that KeePass protects individually in the XML document.
    ///
    /// `kind` is the number of the cipher. It is, like the key, in the header that precedes the document.
    init(kind: UInt32, key: [UInt8]) throws(KeePassError) {
        switch kind {
        case 0: self = .none
        case 2:
            let nonce: [UInt8] = [0xE8, 0x30, 0x09, 0x4B, 0x97, 0x20, 0x5D, 0x2A]
            self = Self(.salsa20, key: SymmetricKey(data: SHA256.hash(data: key)), nonce: nonce)
        case 3:
            let digest = Array(SHA512.hash(data: key))
            self = .chaCha20(key: SymmetricKey(data: digest[..<32]), nonce: Array(digest[32..<44]))
        default: throw .unsupportedCipher
        }
    }

    mutating func decrypt(_ bytes: [UInt8]) -> [UInt8] {
        guard cipher != .none, !bytes.isEmpty else { return bytes }
        // libsodium's functions can start only at a multiple of 64 bytes. Prepend zeros, and drop their output.
        let (block, offset) = position.quotientAndRemainder(dividingBy: 64)
        let input = [UInt8](repeating: 0, count: offset) + bytes
        var output = [UInt8](repeating: 0, count: input.count)
        unsafe key.withUnsafeBytes { key in
            guard let key = unsafe key.bindMemory(to: UInt8.self).baseAddress else { return }
            if cipher == .salsa20 {
                unsafe _ = crypto_stream_salsa20_xor_ic(
                    &output,
                    input,
                    UInt64(input.count),
                    nonce,
                    UInt64(block),
                    key
                )
            } else {
                unsafe _ = crypto_stream_chacha20_ietf_xor_ic(
                    &output,
                    input,
                    UInt64(input.count),
                    nonce,
                    UInt32(block),
                    key
                )
            }
        }
        position += bytes.count
        return Array(output[offset...])
    }
}
#endif
