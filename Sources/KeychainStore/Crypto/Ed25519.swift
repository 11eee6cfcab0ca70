// SPDX-License-Identifier: Apache-2.0

import CKeychainSodium
package import KeychainModel

/// An Ed25519 public key (RFC 8032).
package struct Ed25519PublicKey: Hashable, Sendable {
    package let bytes: Bytes32

    package init(_ bytes: Bytes32) { self.bytes = bytes }

    /// Returns whether a signature of a message is valid for this public key.
    ///
    /// libsodium also rejects malleable encodings: scalars out of range, points of small order, and
    /// coordinates that are not reduced.
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

/// An Ed25519 private key, stored as its seed.
package struct Ed25519PrivateKey: Sendable {
    package static let signatureCount = 64
    /// The size of libsodium's private key: the seed, followed by the public key.
    private static let expandedCount = 64

    package let seed: SecretKey
    package let publicKey: Ed25519PublicKey

    package init(seed: SecretKey) {
        self.seed = seed
        let publicKey = unsafe Bytes32 { target in
            unsafe _ = SecretBytes(count: Self.expandedCount) { expanded in
                unsafe Self.expand(seed, publicKey: target, into: expanded)
            }
        }
        self.publicKey = Ed25519PublicKey(publicKey)
    }

    package static func random() -> Self { Self(seed: .random()) }

    private static func expand(
        _ seed: SecretKey,
        publicKey: UnsafeMutablePointer<UInt8>,
        into expanded: UnsafeMutableRawBufferPointer
    ) {
        guard let start = unsafe expanded.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
        unsafe _ = crypto_sign_seed_keypair(publicKey, start, seed.pointer)
        withExtendedLifetime(seed) { SecretKey.clearStack() }
    }

    /// Signs a message; the signature is deterministic.
    package func signature(of message: [UInt8]) -> [UInt8] {
        var ignored = [UInt8](repeating: 0, count: Bytes32.count)
        let expanded = unsafe SecretBytes(count: Self.expandedCount) { expanded in
            unsafe Self.expand(seed, publicKey: &ignored, into: expanded)
        }
        return unsafe [UInt8](unsafeUninitializedCapacity: Self.signatureCount) { target, filled in
            unsafe expanded.withBytes { key in
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
