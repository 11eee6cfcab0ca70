// SPDX-License-Identifier: Apache-2.0

import CKeychainSodium
package import KeychainModel

/// Encrypts and digests the data that devices exchange for synchronization.
///
/// Each kind of digest has a different label, and each derived key a different purpose, so that no digest or key can
/// be used in place of another one.
package enum SynchronizationCryptography {
    /// The number of bytes that ``seal(_:under:associatedData:)`` adds.
    package static let overhead = Sealing.overhead

    /// Computes the BLAKE2b-256 digest of a label and a message.
    package static func digest(_ label: String, _ message: [UInt8], key: SecretKey? = nil) -> Bytes32 {
        let input = Array(label.utf8) + message
        return unsafe Bytes32 { target in unsafe BLAKE2b.digest(input, key: key, into: target) }
    }

    package static func deriveKey(_ purpose: String, from key: SecretKey) -> SecretKey {
        key.derive([purpose])[0]
    }

    /// Encrypts a message with XChaCha20-Poly1305; returns `nonce 24 | ciphertext | tag 16`.
    package static func seal(
        _ plain: [UInt8],
        under key: SecretKey,
        associatedData: [UInt8]
    ) -> [UInt8] {
        Sealing.seal(plain, under: key, associatedData: associatedData)
    }

    /// Decrypts a message; `nil` if it was not sealed under this key with this associated data.
    package static func open(
        _ box: [UInt8],
        under key: SecretKey,
        associatedData: [UInt8]
    ) -> [UInt8]? {
        try? Sealing.open(box, under: key, associatedData: associatedData, orThrow: .recordDamaged)
    }

    package static func randomBytes(_ count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { target, filled in
            if let start = target.baseAddress { unsafe randombytes_buf(start, count) }
            filled = count
        }
    }
}

/// An X25519 private key, to which other devices seal messages with `crypto_box_seal`.
package struct BoxPrivateKey: Sendable {
    package static let overhead = 48

    package let secret: SecretKey
    package let publicKey: Bytes32

    package init(secret: SecretKey) {
        self.secret = secret
        publicKey = unsafe Bytes32 { unsafe _ = crypto_scalarmult_base($0, secret.pointer) }
    }

    package static func random() -> Self { Self(secret: .random()) }

    /// Encrypts a message to a public key, anonymously; `nil` if the key is a point of small order.
    package static func seal(_ plain: [UInt8], to publicKey: Bytes32) -> [UInt8]? {
        var box = [UInt8](repeating: 0, count: plain.count + overhead)
        let result = unsafe crypto_box_seal(&box, plain, UInt64(plain.count), publicKey.bytes)
        return result == 0 ? box : nil
    }

    /// Decrypts a message; `nil` if it was not sealed to this key.
    package func open(_ box: [UInt8]) -> [UInt8]? {
        guard box.count >= Self.overhead else { return nil }
        var plain = [UInt8](repeating: 0, count: box.count - Self.overhead)
        let result = unsafe crypto_box_seal_open(
            &plain,
            box,
            UInt64(box.count),
            publicKey.bytes,
            secret.pointer
        )
        withExtendedLifetime(secret) { SecretKey.clearStack() }
        return result == 0 ? plain : nil
    }
}

/// A digest of a set of synchronized records: the sum of one point of ristretto255 for each record.
///
/// The sum does not depend on the order of the records, and finding two sets with equal sums is as hard as computing
/// discrete logarithms.
package struct RecordSum: Hashable, Sendable {
    /// The encoding of the sum; zeros for the empty set.
    package private(set) var bytes: Bytes32

    package static let zero = Self(unchecked: .zero)

    private init(unchecked bytes: Bytes32) { self.bytes = bytes }

    /// Decodes a sum; `nil` if the bytes encode no point.
    package init?(_ bytes: Bytes32) {
        guard unsafe crypto_core_ristretto255_is_valid_point(bytes.bytes) == 1 else { return nil }
        self.bytes = bytes
    }

    package init(termOf message: [UInt8]) {
        var digest = [UInt8](repeating: 0, count: 64)
        unsafe BLAKE2b.digest(message, into: &digest, count: 64)
        bytes = unsafe Bytes32 { unsafe _ = crypto_core_ristretto255_from_hash($0, digest) }
    }

    package static func += (sum: inout Self, term: Self) {
        let (left, right) = (sum.bytes.bytes, term.bytes.bytes)
        sum.bytes = unsafe Bytes32 { unsafe _ = crypto_core_ristretto255_add($0, left, right) }
    }

    package static func -= (sum: inout Self, term: Self) {
        let (left, right) = (sum.bytes.bytes, term.bytes.bytes)
        sum.bytes = unsafe Bytes32 { unsafe _ = crypto_core_ristretto255_sub($0, left, right) }
    }
}

/// Encrypts the pages that contain the state of synchronization.
extension StoreKeys {
    func sealSynchronization(_ plain: [UInt8], page number: Int64) -> [UInt8] {
        Sealing.seal(plain, under: synchronization, associatedData: Self.data(number))
    }

    func openSynchronization(_ box: [UInt8], page number: Int64) throws(StatusError) -> [UInt8] {
        try Sealing.open(
            box,
            under: synchronization,
            associatedData: Self.data(number),
            orThrow: .recordDamaged
        )
    }

    private static func data(_ number: Int64) -> [UInt8] {
        var writer = ByteWriter(capacity: 12)
        writer.append("sync")
        writer.append(number)
        return writer.bytes
    }
}

/// Encrypts pages of the synchronization state with a class key, so that they are readable while the class is unlocked.
extension BoxKeys {
    func sealSynchronization(_ plain: [UInt8], page number: Int64) -> [UInt8] {
        Sealing.seal(plain, under: secrets, associatedData: Array("sync keys \(number)".utf8))
    }

    func openSynchronization(_ box: [UInt8], page number: Int64) throws(StatusError) -> [UInt8] {
        try Sealing.open(
            box,
            under: secrets,
            associatedData: Array("sync keys \(number)".utf8),
            orThrow: .recordDamaged
        )
    }
}
