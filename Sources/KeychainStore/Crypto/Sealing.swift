// SPDX-License-Identifier: Apache-2.0

import Crypto
package import FoundationEssentials
import Glibc
package import KeychainModel

/// The algorithms of a record, by the number on disk.
enum Suite: UInt8 {
    /// AES-256-GCM, HKDF-SHA256, HMAC-SHA256.
    case one = 1

    /// The number in a record that is under access control.
    var constrained: UInt8 { rawValue | 0x80 }
}

/// The only caller of the AEAD: a box is nonce (12 bytes), ciphertext and tag (16).
enum Sealing {
    static let overhead = 28
    private static let nonceCount = 12

    /// Seals with a random nonce: keys that seal more than one message stay far below 2^32 of them.
    static func seal(
        _ plaintext: some ContiguousBytes,
        under key: SymmetricKey,
        context: some ContiguousBytes
    ) throws(StatusError) -> Data {
        let random = try randomBytes(nonceCount)
        do {
            let nonce = try AES.GCM.Nonce(data: random)
            let box = try unsafe plaintext.withUnsafeBytes { plaintext in
                try unsafe context.withUnsafeBytes { context in
                    try unsafe AES.GCM.seal(plaintext, using: key, nonce: nonce, authenticating: context)
                }
            }
            guard let combined = box.combined else { throw StatusError(.internalInconsistency) }
            return combined
        } catch {
            throw StatusError(.internalInconsistency)
        }
    }

    /// Opens a box, or throws `undecodable` with the reason given: a damaged box, another key, another context.
    static func open(
        _ box: some ContiguousBytes,
        under key: SymmetricKey,
        context: some ContiguousBytes,
        orThrow reason: Reason
    ) throws(StatusError) -> Data {
        do {
            return try unsafe box.withUnsafeBytes { box in
                try unsafe context.withUnsafeBytes { context in
                    try unsafe AES.GCM.open(
                        AES.GCM.SealedBox(combined: box),
                        using: key,
                        authenticating: context
                    )
                }
            }
        } catch {
            throw StatusError(.undecodable, reason)
        }
    }

    static func wrap(
        _ key: SymmetricKey,
        under wrappingKey: SymmetricKey,
        context: some ContiguousBytes
    ) throws(StatusError) -> Data {
        var plain = unsafe key.withUnsafeBytes { unsafe Data($0) }
        defer { plain.wipe() }
        return try seal(plain, under: wrappingKey, context: context)
    }

    static func unwrap(
        _ box: some ContiguousBytes,
        under wrappingKey: SymmetricKey,
        context: some ContiguousBytes,
        orThrow reason: Reason
    ) throws(StatusError) -> SymmetricKey {
        var plain = try open(box, under: wrappingKey, context: context, orThrow: reason)
        defer { plain.wipe() }
        return SymmetricKey(data: plain)
    }
}

extension Sealing {
    /// Draws a key.
    static func randomKey() throws(StatusError) -> SymmetricKey {
        var bytes = try randomBytes(32)
        defer { bytes.wipe() }
        return SymmetricKey(data: bytes)
    }

    /// Draws bytes from the system's generator by one call; the standard library's makes one for every eight.
    private static func randomBytes(_ count: Int) throws(StatusError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let result = unsafe bytes.withUnsafeMutableBytes { unsafe getentropy($0.baseAddress, $0.count) }
        guard result == 0 else { throw StatusError(.internalInconsistency) }
        return bytes
    }
}

extension [UInt8] {
    /// Overwrites the bytes in place.
    ///
    /// The value must be the only owner of its storage.
    mutating func wipe() {
        unsafe withUnsafeMutableBytes { buffer in
            guard let start = buffer.baseAddress else { return }
            unsafe explicit_bzero(start, buffer.count)
        }
    }
}

/// A keyed digest whose key schedule is computed once.
struct KeyedDigest: Sendable {
    private let prototype: HMAC<SHA256>

    init(key: SymmetricKey) { prototype = HMAC<SHA256>(key: key) }

    func digest(of message: [UInt8]) -> Bytes32 {
        var computation = prototype
        computation.update(data: message)
        return unsafe computation.finalize().withUnsafeBytes { unsafe Bytes32($0) } ?? .zero
    }
}

extension Bytes32 {
    /// SHA-256 of bytes that are no secret.
    package init(sha256 bytes: some DataProtocol) {
        self = unsafe SHA256.hash(data: bytes).withUnsafeBytes { unsafe Bytes32($0) } ?? .zero
    }
}
