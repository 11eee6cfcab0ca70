// SPDX-License-Identifier: Apache-2.0

#if Objects
import Crypto
package import FoundationEssentials

/// Private keys that a token keeps, and uses for this process; `securityd` is the only token.
///
/// These functions create the inputs of the token's operations, and encode the results.
extension AsymmetricKey {
    /// Creates an object for a private key in the token, from its public key: an uncompressed point of P-256.
    package init(inToken point: Data) throws(AsymmetricKeyError) {
        let other = try AsymmetricKey(point: point, on: .p256)
        guard case .ellipticCurve(let key) = other.publicPart else { throw .malformedKey }
        self.init(.p256, key, privatePart: .token)
    }

    /// Whether the private part is in a token, so that this object cannot use it.
    package var isInToken: Bool { if case .token = privatePart { true } else { false } }

    /// Returns the digest to send to the token, which signs it.
    package func digestToSign(
        _ input: Data,
        by algorithm: KeyAlgorithm
    ) throws(AsymmetricKeyError) -> Data {
        try check(.sign, algorithm)
        guard case .sign(_, of: let kind) = algorithm.task else { throw .wrongAlgorithm }
        let digest = try SignedInput(bytes: input, kind: kind, hash: algorithm.hash).curveDigest()
        // ECDSA truncates a digest to the size of the curve: 32 bytes for P-256.
        return Data(Data(digest).prefix(32))
    }

    /// Converts a signature from the token to the encoding that the algorithm specifies.
    package func signature(
        ofToken numbers: Data,
        by algorithm: KeyAlgorithm
    ) throws(AsymmetricKeyError) -> Data {
        guard case .sign(let form, of: _) = algorithm.task else { throw .wrongAlgorithm }
        return try AsymmetricKeyError.catching(.operationFailed) {
            let signature = try P256.Signing.ECDSASignature(rawRepresentation: numbers)
            return form == .rfc4754 ? signature.rawRepresentation : signature.derRepresentation
        }
    }

    /// Returns the other party's public key to send to the token, which computes the shared secret from this point.
    package func pointToAgree(
        with other: AsymmetricKey,
        by algorithm: KeyAlgorithm
    ) throws(AsymmetricKeyError) -> Data {
        try check(.agree, algorithm)
        guard other.half == .public, other.curve == curve else { throw .wrongInput }
        return other.publicBytes
    }

    /// Derives a secret (ANSI X9.63) from the shared coordinate that a token returned.
    ///
    /// If the algorithm has no key derivation function, the secret is the coordinate.
    package static func secret(
        from coordinate: Data,
        by algorithm: KeyAlgorithm,
        size: Int?,
        sharedInformation: Data
    ) throws(AsymmetricKeyError) -> Data {
        guard let hash = algorithm.hash else { return coordinate }
        guard let size, (0...largestSecret).contains(size) else { throw .wrongInput }
        var (secret, counter) = (Data(), UInt32(1))
        while secret.count < size {
            var block = coordinate
            defer { block.erase() }
            for shift: UInt32 in [24, 16, 8, 0] { block.append(UInt8(truncatingIfNeeded: counter >> shift)) }
            block.append(sharedInformation)
            guard let digest = hash.digest(of: block) else { throw .algorithmNotImplemented }
            secret.append(contentsOf: digest)
            counter += 1
        }
        return Data(secret.prefix(size))
    }

    /// Signs a digest with this elliptic-curve key; returns r and s, padded and concatenated.
    package func signature(ofDigest digest: Data) throws(AsymmetricKeyError) -> Data {
        guard case .ellipticCurve(let key) = privatePart, !digest.isEmpty else { throw .wrongInput }
        return try AsymmetricKeyError.catching(.operationFailed) {
            try key.sign(CurveDigest(bytes: digest), as: .rfc4754)
        }
    }

    /// Computes the x coordinate of the point that this key shares with a public key.
    package func sharedCoordinate(with other: AsymmetricKey) throws(AsymmetricKeyError) -> Data {
        guard case .ellipticCurve(let point) = other.publicPart else { throw .wrongInput }
        let shared = try sharedSecret(with: point)
        return unsafe shared.withUnsafeBytes { unsafe Data($0) }
    }
}
#endif
