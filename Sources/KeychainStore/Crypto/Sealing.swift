// SPDX-License-Identifier: Apache-2.0

import CKeychainSodium
import KeychainModel

/// The algorithms of a record; rows store the raw value.
enum Suite: UInt8 {
    /// XChaCha20-Poly1305 and BLAKE2b.
    case one = 1

    /// The suite byte, the first, of records with an access control: the raw value with the high bit set.
    var constrained: UInt8 { rawValue | 0x80 }
}

/// Encrypts and decrypts boxes with XChaCha20-Poly1305-IETF.
///
/// A box consists of nonce (24 bytes), ciphertext and tag (16 bytes). Nonces are random: with 192 bits,
/// collisions are negligible for any number of messages.
enum Sealing {
    static let nonceCount = 24
    static let tagCount = 16
    static let overhead = nonceCount + tagCount

    /// Encrypts a message; returns `prefix` followed by the box.
    static func seal(
        _ plaintext: UnsafeRawBufferPointer,
        under key: SecretKey,
        associatedData: UnsafeRawBufferPointer,
        after prefix: [UInt8] = []
    ) -> [UInt8] {
        let count = prefix.count + plaintext.count + overhead
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { target, filled in
            _ = unsafe target.update(fromContentsOf: prefix)
            guard let start = target.baseAddress else { return }
            unsafe seal(plaintext, under: key, associatedData: associatedData, into: start + prefix.count)
            filled = count
        }
    }

    /// Encrypts a message; writes the box, which is ``overhead`` bytes longer than the message, to `target`.
    ///
    /// The message may be at `target + nonceCount`, where its encrypted bytes replace it.
    static func seal(
        _ plaintext: UnsafeRawBufferPointer,
        under key: SecretKey,
        associatedData: UnsafeRawBufferPointer,
        into target: UnsafeMutablePointer<UInt8>
    ) {
        unsafe randombytes_buf(target, nonceCount)
        unsafe _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
            target + nonceCount,
            nil,
            plaintext.assumingMemoryBound(to: UInt8.self).baseAddress,
            UInt64(plaintext.count),
            associatedData.assumingMemoryBound(to: UInt8.self).baseAddress,
            UInt64(associatedData.count),
            nil,
            target,
            key.pointer
        )
        withExtendedLifetime(key) { SecretKey.clearStack() }
    }

    static func seal(
        _ plaintext: [UInt8],
        under key: SecretKey,
        associatedData: [UInt8],
        after prefix: [UInt8] = []
    ) -> [UInt8] {
        unsafe plaintext.withUnsafeBytes { plaintext in
            unsafe associatedData.withUnsafeBytes {
                unsafe seal(plaintext, under: key, associatedData: $0, after: prefix)
            }
        }
    }

    /// Decrypts a box into a buffer; returns false if authentication fails.
    static func open(
        _ box: UnsafeRawBufferPointer,
        under key: SecretKey,
        associatedData: [UInt8],
        into target: UnsafeMutablePointer<UInt8>?
    ) -> Bool {
        unsafe associatedData.withUnsafeBytes {
            unsafe open(box, under: key, associatedData: $0, into: target)
        }
    }

    static func open(
        _ box: UnsafeRawBufferPointer,
        under key: SecretKey,
        associatedData: UnsafeRawBufferPointer,
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
            associatedData.assumingMemoryBound(to: UInt8.self).baseAddress,
            UInt64(associatedData.count),
            nonce,
            key.pointer
        )
        withExtendedLifetime(key) { SecretKey.clearStack() }
        return result == 0
    }

    /// Decrypts a box; throws `undecodable` with the given reason if authentication fails.
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

extension Sealing {
    static let wrappedKeyCount = SecretKey.count + overhead

    static func wrap(_ key: SecretKey, under wrappingKey: SecretKey, associatedData: [UInt8]) -> [UInt8] {
        unsafe key.withBytes { key in
            unsafe associatedData.withUnsafeBytes {
                unsafe seal(key, under: wrappingKey, associatedData: $0)
            }
        }
    }

    /// Unwraps a key directly into guarded memory.
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
