// SPDX-License-Identifier: Apache-2.0

import CKeychainSodium
package import KeychainModel

/// BLAKE2b digests (RFC 7693), keyed or unkeyed.
enum BLAKE2b {
    /// Fills memory with a digest of 16 to 64 bytes.
    static func digest(
        _ message: [UInt8],
        key: SecretKey? = nil,
        into target: UnsafeMutablePointer<UInt8>,
        count: Int = Bytes32.count
    ) {
        let (bytes, size) = unsafe key.map { unsafe ($0.pointer, SecretKey.count) } ?? (nil, 0)
        let result = unsafe crypto_generichash(target, count, message, UInt64(message.count), bytes, size)
        withExtendedLifetime(key) {}
        precondition(result == 0, "a digest has 16 to 64 bytes")
    }
}

/// Computes digests with one key.
package struct KeyedDigest: Sendable {
    private let key: SecretKey

    init(key: SecretKey) { self.key = key }

    func digest(of message: [UInt8]) -> Bytes32 {
        unsafe Bytes32 { target in unsafe BLAKE2b.digest(message, key: key, into: target) }
    }
}

extension Bytes32 {
    /// Computes the digest of public bytes.
    package init(digestOf bytes: [UInt8]) {
        unsafe self.init { target in unsafe BLAKE2b.digest(bytes, into: target) }
    }
}
