// SPDX-License-Identifier: Apache-2.0

#if Objects
import Crypto
package import FoundationEssentials

extension AsymmetricKey {
    /// The longest secret that is derived, in bytes.
    package static let largestSecret = 1 << 20

    /// Agrees on a secret with a public key of the same curve.
    ///
    /// The cofactor of every curve here is 1, so the algorithms with and without it agree on the same secret.
    ///
    /// - Parameters:
    ///   - other: the public half of another pair.
    ///   - algorithm: whether and how the secret is derived.
    ///   - size: the size in bytes of what is derived; needed if anything is.
    ///   - sharedInformation: what both sides put into the derivation.
    /// - Returns: the x coordinate that both sides compute, or what is derived from it.
    /// - Throws: `wrongInput` if the other key does not fit, or the size is missing or too large.
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
    /// The derivation of X9.63.
    func derived(
        by hash: Hash,
        sharedInformation: Data,
        size: Int
    ) throws(AsymmetricKeyError) -> SymmetricKey {
        guard let function = hash.function else { throw .algorithmNotOffered }
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
