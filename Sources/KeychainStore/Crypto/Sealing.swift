// SPDX-License-Identifier: Apache-2.0

import CKeychainSodium
import KeychainModel

/// The algorithms of a record, by the number on disk.
enum Suite: UInt8 {
    /// XChaCha20-Poly1305 and BLAKE2b.
    case one = 1

    /// The number in a record that is under access control.
    var constrained: UInt8 { rawValue | 0x80 }
}

/// XChaCha20-Poly1305-IETF: a box is nonce (24 bytes), ciphertext and tag (16).
///
/// Nonces are random: with 192 bits they do not repeat, however many messages a key seals.
enum Sealing {
    static let nonceCount = 24
    static let tagCount = 16
    static let overhead = nonceCount + tagCount

    /// Seals a message; the box follows `prefix`.
    static func seal(
        _ plaintext: UnsafeRawBufferPointer,
        under key: SecretKey,
        associatedData: [UInt8],
        after prefix: [UInt8] = []
    ) -> [UInt8] {
        let count = prefix.count + plaintext.count + overhead
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { target, filled in
            _ = unsafe target.update(fromContentsOf: prefix)
            guard let nonce = unsafe target.baseAddress.map({ unsafe $0 + prefix.count }) else { return }
            unsafe randombytes_buf(nonce, nonceCount)
            unsafe _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
                nonce + nonceCount,
                nil,
                plaintext.assumingMemoryBound(to: UInt8.self).baseAddress,
                UInt64(plaintext.count),
                associatedData,
                UInt64(associatedData.count),
                nil,
                nonce,
                key.pointer
            )
            withExtendedLifetime(key) { SecretKey.clearStack() }
            filled = count
        }
    }

    static func seal(
        _ plaintext: [UInt8],
        under key: SecretKey,
        associatedData: [UInt8],
        after prefix: [UInt8] = []
    ) -> [UInt8] {
        unsafe plaintext.withUnsafeBytes {
            unsafe seal($0, under: key, associatedData: associatedData, after: prefix)
        }
    }

    /// Opens a box into memory that has room for its message; false for a damaged box, another key, other associated data.
    static func open(
        _ box: UnsafeRawBufferPointer,
        under key: SecretKey,
        associatedData: [UInt8],
        into target: UnsafeMutablePointer<UInt8>?
    ) -> Bool {
        guard box.count >= overhead, let nonce = unsafe box.assumingMemoryBound(to: UInt8.self).baseAddress
        else {
            return false
        }
        let result = unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
            target,
            nil,
            nil,
            nonce + nonceCount,
            UInt64(box.count - nonceCount),
            associatedData,
            UInt64(associatedData.count),
            nonce,
            key.pointer
        )
        withExtendedLifetime(key) { SecretKey.clearStack() }
        return result == 0
    }

    /// Opens a box, or throws `undecodable` with the reason given.
    static func open(
        _ box: ArraySlice<UInt8>,
        under key: SecretKey,
        associatedData: [UInt8],
        orThrow reason: Reason
    ) throws(StatusError) -> [UInt8] {
        guard box.count >= overhead else { throw StatusError(.undecodable, reason) }
        var isOpen = false
        let count = box.count - overhead
        let message = unsafe [UInt8](unsafeUninitializedCapacity: count) { target, filled in
            isOpen = unsafe box.withUnsafeBytes {
                unsafe open($0, under: key, associatedData: associatedData, into: target.baseAddress)
            }
            filled = isOpen ? count : 0
        }
        guard isOpen else { throw StatusError(.undecodable, reason) }
        return message
    }

    static func open(
        _ box: [UInt8],
        under key: SecretKey,
        associatedData: [UInt8],
        orThrow reason: Reason
    ) throws(StatusError) -> [UInt8] {
        try open(box[...], under: key, associatedData: associatedData, orThrow: reason)
    }
}

// Keys under keys.
extension Sealing {
    static let wrappedKeyCount = SecretKey.count + overhead

    static func wrap(_ key: SecretKey, under wrappingKey: SecretKey, associatedData: [UInt8]) -> [UInt8] {
        unsafe key.withBytes { unsafe seal($0, under: wrappingKey, associatedData: associatedData) }
    }

    /// Opens a wrapped key straight into guarded memory.
    static func unwrap(
        _ box: ArraySlice<UInt8>,
        under wrappingKey: SecretKey,
        associatedData: [UInt8],
        orThrow reason: Reason
    ) throws(StatusError) -> SecretKey {
        guard box.count == wrappedKeyCount else { throw StatusError(.undecodable, reason) }
        return unsafe try SecretKey { (target) throws(StatusError) in
            let isOpen = unsafe box.withUnsafeBytes {
                unsafe open($0, under: wrappingKey, associatedData: associatedData, into: target)
            }
            guard isOpen else { throw StatusError(.undecodable, reason) }
        }
    }
}

extension [UInt8] {
    /// Overwrites the bytes in place.
    ///
    /// The value must be the only owner of its storage.
    mutating func wipe() {
        unsafe withUnsafeMutableBytes { unsafe sodium_memzero($0.baseAddress, $0.count) }
    }
}
