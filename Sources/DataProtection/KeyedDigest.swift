// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainModel

/// HMAC-SHA256 under a key that is taken in once, and the keys that HKDF-SHA256 derives with it.
///
/// The two hashes that begin with the key are kept and copied for each message. So does the general interface, which is
/// compiled for no hash in particular: it takes more than twice as long, and the first time in a process much longer.
struct KeyedDigest: Sendable {
    private let inner: SHA256
    private let outer: SHA256

    /// - Parameter key: no longer than a block of the hash, as all keys of a store are; a longer one would be hashed.
    init(key: SymmetricKey) {
        precondition(key.bitCount <= SHA256.blockByteCount * 8)
        inner = Self.hash(of: key, filledUpWith: 0x36)
        outer = Self.hash(of: key, filledUpWith: 0x5C)
    }

    private static func hash(of key: SymmetricKey, filledUpWith pad: UInt8) -> SHA256 {
        var block = [UInt8](repeating: pad, count: SHA256.blockByteCount)
        defer { block.wipe() }
        unsafe key.withUnsafeBytes { key in
            for index in key.indices { unsafe block[index] ^= key[index] }
        }
        var hash = SHA256()
        unsafe block.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
        return hash
    }

    func digest(of message: [UInt8]) -> Bytes32 {
        var hash = inner
        unsafe message.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
        let digest = hash.finalize()
        hash = outer
        unsafe digest.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
        return unsafe hash.finalize().withUnsafeBytes { unsafe Bytes32($0) } ?? .zero
    }

    /// HKDF-Expand to the first of its blocks: the key for one purpose.
    func key(for purpose: [UInt8]) -> SymmetricKey { SymmetricKey(digest(of: purpose + [1])) }
}
