// SPDX-License-Identifier: Apache-2.0

import CKeychainSodium
package import KeychainModel

/// An Ed25519 public key (RFC 8032).
package struct Ed25519PublicKey: Hashable, Sendable {
    package let bytes: Bytes32

    package init(_ bytes: Bytes32) { self.bytes = bytes }

    /// Returns whether a signature of a message is valid for this public key.
    ///
    /// libsodium also rejects scalars out of range, points of small order, and coordinates that are not
    /// reduced.
    package func isValid(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard signature.count == Ed25519PrivateKey.signatureCount else { return false }
        return unsafe crypto_sign_verify_detached(
            signature,
            message,
            UInt64(message.count),
            bytes.bytes
        ) == 0
    }
}

/// An Ed25519 private key: its seed, and libsodium's private key, which follows from the seed.
package struct Ed25519PrivateKey: Sendable {
    package static let signatureCount = 64

    package let seed: SecretKey
    package let publicKey: Ed25519PublicKey
    private let expanded: ExpandedKey

    /// libsodium's private key: the seed, followed by the public key.
    private final class ExpandedKey: Sendable {
        static let count = 64
        let bytes: SecretBytes

        init(_ seed: SecretKey, publicKey: UnsafeMutablePointer<UInt8>) {
            bytes = unsafe SecretBytes(count: Self.count) { expanded in
                guard let start = unsafe expanded.assumingMemoryBound(to: UInt8.self).baseAddress
                else { return }
                unsafe _ = crypto_sign_seed_keypair(publicKey, start, seed.pointer)
            }
            withExtendedLifetime(seed) { SecretKey.clearStack() }
        }
    }

    package init(seed: SecretKey) {
        self.seed = seed
        var publicKey = [UInt8](repeating: 0, count: Bytes32.count)
        expanded = unsafe ExpandedKey(seed, publicKey: &publicKey)
        self.publicKey = Ed25519PublicKey(Bytes32(publicKey) ?? .zero)
    }

    package static func random() -> Self { Self(seed: .random()) }

    /// Signs a message; the signature is deterministic.
    package func signature(of message: [UInt8]) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: Self.signatureCount) { target, filled in
            unsafe expanded.bytes.withBytes { key in
                guard let start = target.baseAddress,
                    let key = unsafe key.assumingMemoryBound(to: UInt8.self).baseAddress
                else { return }
                unsafe _ = crypto_sign_detached(start, nil, message, UInt64(message.count), key)
                filled = Self.signatureCount
            }
            SecretKey.clearStack()
        }
    }
}
