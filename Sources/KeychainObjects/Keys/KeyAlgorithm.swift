// SPDX-License-Identifier: Apache-2.0

/// One `SecKeyAlgorithm`: its operation, its key type and, if it is not implemented, the reason.
package struct KeyAlgorithm: Sendable {
    package enum Task: Hashable, Sendable {
        case sign(Signature, of: Input)
        case encrypt(Encryption)
        /// Key agreement, with key derivation by X9.63 if the algorithm has a hash.
        case agree
    }

    /// The encoding of an ECDSA signature, or the padding of an RSA signature.
    package enum Signature: Hashable, Sendable {
        /// DER of r and s.
        case x962
        /// r and s padded to full length and concatenated.
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
        /// AES-GCM with a random key that is encrypted with OAEP.
        case oaepWithGCM
        /// Key agreement with an ephemeral key, and AES-GCM with a zero nonce.
        case ecies
        /// ECIES with a nonce derived together with the key.
        case eciesWithDerivedNonce
        case unpadded
    }

    /// What a caller does with a key.
    ///
    /// Raw values are those of `SecKeyOperationType`.
    package enum Operation: Int, CaseIterable, Sendable {
        case sign
        case verify
        case encrypt
        case decrypt
        case agree
    }

    /// Why an algorithm is not implemented.
    package enum Obstacle: CaseIterable, Sendable {
        case noSHA224
        case oaepHash
        case unpaddedRSA
        case bareDigest

        /// The reason why the algorithm is not implemented, as a phrase.
        package var reason: String {
            switch self {
            case .noSHA224: "swift-crypto has no SHA-224"
            case .oaepHash: "swift-crypto has OAEP with SHA-1 and SHA-256 only"
            case .unpaddedRSA: "swift-crypto has RSA without padding for blind signatures only"
            case .bareDigest: "swift-crypto cannot pad a digest of an unnamed hash"
            }
        }
    }

    /// The name of the API constant, such as `kSecKeyAlgorithmRSASignatureRaw`.
    package let constant: String
    /// The value of the API constant.
    package let name: String
    package let keyType: KeyType
    package let task: Task
    /// The hash of the input, padding or key derivation.
    package let hash: Hash?
    package let obstacle: Obstacle?
}

extension KeyAlgorithm {
    private static let byName = Dictionary(uniqueKeysWithValues: table.map { ($0.name, $0) })

    package init?(named name: String) {
        guard let algorithm = Self.byName[name] else { return nil }
        self = algorithm
    }

    /// Returns the operation that a public or private key performs with this algorithm.
    ///
    /// The result is `nil` for key agreement with a public key, which only a private key performs.
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
