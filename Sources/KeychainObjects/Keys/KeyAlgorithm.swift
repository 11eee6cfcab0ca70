// SPDX-License-Identifier: Apache-2.0

/// One algorithm of the API: what it does with which keys, or why it is not offered.
package struct KeyAlgorithm: Sendable {
    /// What is computed.
    package enum Task: Hashable, Sendable {
        case sign(Signature, of: Input)
        case encrypt(Encryption)
        /// A shared secret, derived by X9.63 where there is a hash.
        case agree
    }

    /// The form of a signature: that of its encoding or of its padding.
    package enum Signature: Hashable, Sendable {
        /// DER of r and s.
        case x962
        /// r and s in full length, one after the other.
        case rfc4754
        case pkcs1
        case pss
        case unpadded
    }

    package enum Input: Hashable, Sendable {
        case message
        case digest
    }

    package enum Encryption: Hashable, Sendable {
        case pkcs1
        case oaep
        /// AES-GCM under a random key that is encrypted with OAEP.
        case oaepWithGCM
        /// Agreement with a key made for the purpose, and AES-GCM with a nonce of zeros.
        case ecies
        /// The same with a nonce derived together with the key.
        case eciesWithDerivedNonce
        case unpadded
    }

    /// What a caller wants to do with a key, numbered as `SecKeyOperationType` is.
    package enum Operation: Int, CaseIterable, Sendable {
        case sign
        case verify
        case encrypt
        case decrypt
        case agree
    }

    /// Why an algorithm is not offered.
    package enum Obstacle: CaseIterable, Sendable {
        case noSHA224
        case oaepHash
        case unpaddedRSA
        case bareDigest

        /// The reason in a sentence.
        package var reason: String {
            switch self {
            case .noSHA224: "swift-crypto has no SHA-224"
            case .oaepHash: "CryptoExtras has OAEP with SHA-1 and SHA-256 only"
            case .unpaddedRSA: "CryptoExtras has RSA without padding for blind signatures only"
            case .bareDigest: "CryptoExtras cannot pad a digest of an unnamed hash"
            }
        }
    }

    /// The constant of the API.
    package let constant: String
    /// The value of the constant.
    package let name: String
    package let keyType: KeyType
    package let task: Task
    /// The hash of the input, of the padding or of the derivation.
    package let hash: Hash?
    package let obstacle: Obstacle?
}

extension KeyAlgorithm {
    private static let byName = Dictionary(uniqueKeysWithValues: table.map { ($0.name, $0) })

    /// Finds the algorithm of a name; `nil` for any other string.
    package init?(named name: String) {
        guard let algorithm = Self.byName[name] else { return nil }
        self = algorithm
    }

    /// What can be done with a half of a pair.
    package func operation(of half: KeyHalf) -> Operation? {
        switch (task, half) {
        case (.sign, .private): .sign
        case (.sign, .public): .verify
        case (.encrypt, .public): .encrypt
        case (.encrypt, .private): .decrypt
        case (.agree, .private): .agree
        case (.agree, .public): nil
        }
    }
}
