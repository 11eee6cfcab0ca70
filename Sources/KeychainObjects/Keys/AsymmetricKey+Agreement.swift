// SPDX-License-Identifier: Apache-2.0

#if Objects
import Crypto
package import FoundationEssentials

extension AsymmetricKey {
    /// The maximum size of a derived secret, in bytes.
    package static let largestSecret = 1 << 20

    /// Computes a shared secret with a public key on the same curve.
    ///
    /// All supported curves have cofactor 1, so cofactor and standard Diffie-Hellman give the same secret.
    ///
    /// - Parameters:
    ///   - other: The other party's public key.
    ///   - algorithm: The key agreement algorithm, with or without a key derivation function.
    ///   - size: The size of the derived secret in bytes; required if the algorithm has a key derivation function.
    ///   - sharedInformation: The shared info of the key derivation function.
    /// - Returns: The x coordinate of the shared point, or the secret derived from it.
    /// - Throws: `wrongInput` if the other key is private, or of another type or curve, or the size is missing,
    ///   negative or too large; `wrongAlgorithm` if this key does not support the algorithm; `algorithmNotImplemented`
    ///   if this package does not implement it.
    package func secret(
        with other: AsymmetricKey,
        by algorithm: KeyAlgorithm,
        size: Int?,
        sharedInformation: Data
    ) throws(AsymmetricKeyError) -> Data {
        try check(.agree, algorithm)
        guard case .ellipticCurve(let otherPoint) = other.publicPart, other.half == .public else {
            throw .wrongInput
        }
        let shared = try sharedSecret(with: otherPoint)
        guard let hash = algorithm.hash else { return unsafe shared.withUnsafeBytes { unsafe Data($0) } }
        guard let size, (0...Self.largestSecret).contains(size) else { throw .wrongInput }
        let derived = try shared.derived(by: hash, sharedInformation: sharedInformation, size: size)
        return unsafe derived.withUnsafeBytes { unsafe Data($0) }
    }

    func sharedSecret(with other: any CurvePublicKey) throws(AsymmetricKeyError) -> SharedSecret {
        guard case .ellipticCurve(let key) = privatePart else { throw .wrongAlgorithm }
        return try AsymmetricKeyError.catching(.operationFailed) { try key.agree(with: other) }
    }
}

extension SharedSecret {
    /// Derives a secret with the ANSI X9.63 key derivation function.
    func derived(
        by hash: Hash,
        sharedInformation: Data,
        size: Int
    ) throws(AsymmetricKeyError) -> SymmetricKey {
        guard let function = hash.function else { throw .algorithmNotImplemented }
        return derived(by: function, sharedInformation, size)
    }

    private func derived<Function: HashFunction>(
        by function: Function.Type,
        _ sharedInformation: Data,
        _ size: Int
    ) -> SymmetricKey {
        x963DerivedSymmetricKey(using: function, sharedInfo: sharedInformation, outputByteCount: size)
    }
}
#endif
