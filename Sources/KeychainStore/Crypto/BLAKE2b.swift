// SPDX-License-Identifier: Apache-2.0

import CKeychainSodium
package import KeychainModel

/// BLAKE2b digests (RFC 7693), keyed or unkeyed.
enum BLAKE2b {
    /// Writes the digest of a message to `target`; `count` is 16 to 64 bytes.
    static func digest(
        _ message: [UInt8],
        key: SecretKey? = nil,
        into target: UnsafeMutablePointer<UInt8>,
        count: Int = Bytes32.count
    ) {
        unsafe message.withUnsafeBytes { unsafe digest($0, key: key, into: target, count: count) }
    }

    static func digest(
        _ message: UnsafeRawBufferPointer,
        key: SecretKey?,
        into target: UnsafeMutablePointer<UInt8>,
        count: Int = Bytes32.count
    ) {
        let (bytes, size) = unsafe key.map { unsafe ($0.pointer, SecretKey.count) } ?? (nil, 0)
        let start = unsafe message.assumingMemoryBound(to: UInt8.self).baseAddress
        let result = unsafe crypto_generichash(target, count, start, UInt64(message.count), bytes, size)
        withExtendedLifetime(key) {}
        precondition(result == 0, "a digest has 16 to 64 bytes")
    }
}

package struct KeyedDigest: Sendable {
    private let key: SecretKey

    init(key: SecretKey) { self.key = key }

    func digest(of message: [UInt8]) -> Bytes32 {
        unsafe Bytes32 { target in unsafe BLAKE2b.digest(message, key: key, into: target) }
    }

    func digest(of message: UnsafeRawBufferPointer) -> Bytes32 {
        unsafe Bytes32 { target in unsafe BLAKE2b.digest(message, key: key, into: target) }
    }
}

extension Bytes32 {
    /// Computes the unkeyed 32-byte digest of bytes that are not secret.
    package init(digestOf bytes: [UInt8]) {
        unsafe self.init { target in unsafe BLAKE2b.digest(bytes, into: target) }
    }
}

/// Computes an unkeyed 32-byte digest of bytes that arrive in parts.
@safe
package struct StreamingDigest: ~Copyable {
    private let state: UnsafeMutableRawPointer

    package init() {
        // This selects libsodium's implementation for this processor; repeated calls do nothing.
        _ = sodium_init()
        // libsodium requires the state to be aligned to 64 bytes.
        unsafe state = .allocate(byteCount: crypto_generichash_statebytes(), alignment: 64)
        unsafe _ = crypto_generichash_init(OpaquePointer(state), nil, 0, Bytes32.count)
    }

    deinit { unsafe state.deallocate() }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        let start = unsafe bytes.assumingMemoryBound(to: UInt8.self).baseAddress
        unsafe _ = crypto_generichash_update(OpaquePointer(state), start, UInt64(bytes.count))
    }

    package consuming func finish() -> Bytes32 {
        unsafe Bytes32 { unsafe _ = crypto_generichash_final(OpaquePointer(state), $0, Bytes32.count) }
    }
}
