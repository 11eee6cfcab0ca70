// SPDX-License-Identifier: Apache-2.0

#if Objects
import Crypto
import CryptoExtras
package import FoundationEssentials

extension AsymmetricKey {
    package func supports(_ operation: KeyAlgorithm.Operation, with algorithm: KeyAlgorithm) -> Bool {
        (try? check(operation, algorithm)) != nil
    }

    /// Throws unless this key supports the operation with this algorithm.
    func check(
        _ operation: KeyAlgorithm.Operation,
        _ algorithm: KeyAlgorithm
    ) throws(AsymmetricKeyError) {
        guard algorithm.keyType == type, algorithm.operation(of: half) == operation else {
            throw .wrongAlgorithm
        }
        guard algorithm.obstacle == nil else { throw .algorithmNotImplemented }
        // CryptoExtras encrypts only with a modulus of whole bytes.
        if case .encrypt = algorithm.task, type == .rsa, !bits.isMultiple(of: 8) { throw .wrongAlgorithm }
        // PSS needs room for the digest, a salt of the same length and two bytes (RFC 8017, 9.1.1).
        if case .sign(.pss, of: _) = algorithm.task, let hash = algorithm.hash,
            2 * hash.byteCount + 2 > (bits + 6) / 8
        {
            throw .wrongAlgorithm
        }
    }

    /// Signs a message, or a digest if the algorithm takes one.
    package func signature(
        of input: Data,
        by algorithm: KeyAlgorithm
    ) throws(AsymmetricKeyError) -> Data {
        try check(.sign, algorithm)
        guard case .sign(let form, of: let kind) = algorithm.task, let privatePart else {
            throw .wrongAlgorithm
        }
        let input = SignedInput(bytes: input, kind: kind, hash: algorithm.hash)
        return try AsymmetricKeyError.catching(.operationFailed) {
            switch privatePart {
            case .ellipticCurve(let key):
                try key.sign(input.curveDigest(), as: form)
            case .rsa(let key):
                try input.withDigestOfHash {
                    try key.signature(for: $0, padding: form.padding).rawRepresentation
                }
            case .ed25519, .token: throw AsymmetricKeyError.wrongAlgorithm
            }
        }
    }

    /// Verifies the signature of a message, or of a digest if the algorithm takes one.
    ///
    /// - Throws: `signatureMismatch` for every invalid signature, including malformed ones; `wrongInput` for a digest
    ///   of the wrong size; `wrongAlgorithm` if this key does not support the algorithm; `algorithmNotImplemented` if
    ///   this package does not implement it.
    package func verify(
        _ signature: Data,
        of input: Data,
        by algorithm: KeyAlgorithm
    ) throws(AsymmetricKeyError) {
        try check(.verify, algorithm)
        guard case .sign(let form, of: let kind) = algorithm.task else { throw .wrongAlgorithm }
        let input = SignedInput(bytes: input, kind: kind, hash: algorithm.hash)
        let isValid = try AsymmetricKeyError.catching(.operationFailed) {
            switch publicPart {
            case .ellipticCurve(let key):
                // A signature in DER is only a few bytes longer than a point. A much longer signature is invalid,
                // and not parsed.
                let digest = try input.curveDigest()
                return signature.count <= publicBytes.count + 16
                    && key.isValid(signature, as: form, for: digest)
            case .rsa(let key):
                return try input.withDigestOfHash {
                    key.isValidSignature(
                        .init(rawRepresentation: signature),
                        for: $0,
                        padding: form.padding
                    )
                }
            case .ed25519: throw AsymmetricKeyError.wrongAlgorithm
            }
        }
        guard isValid else { throw .signatureMismatch }
    }
}

extension KeyAlgorithm.Signature {
    fileprivate var padding: _RSA.Signing.Padding { self == .pss ? .PSS : .insecurePKCS1v1_5 }
}

/// The message or digest to sign or verify, convertible to the digest types of swift-crypto.
struct SignedInput {
    let bytes: Data
    let kind: KeyAlgorithm.Input
    let hash: Hash?

    /// The digest of the message, or the digest supplied by the caller.
    func curveDigest() throws(AsymmetricKeyError) -> CurveDigest {
        if kind == .message {
            guard let digest = hash?.digest(of: bytes) else { throw .algorithmNotImplemented }
            return digest
        }
        guard hash.map({ $0.byteCount == bytes.count }) ?? true else { throw .wrongInput }
        return CurveDigest(bytes: bytes)
    }

    /// Calls `body` with the digest as a value of the hash function's digest type, which RSA signing requires.
    func withDigestOfHash<Result>(_ body: (any Digest) throws -> Result) throws -> Result {
        guard let function = hash?.function else { throw AsymmetricKeyError.algorithmNotImplemented }
        if kind == .message { return try body(digest(by: function)) }
        guard hash?.byteCount == bytes.count else { throw AsymmetricKeyError.wrongInput }
        guard let digest = supplied(to: function) else { throw AsymmetricKeyError.algorithmNotImplemented }
        return try body(digest)
    }

    private func digest<Function: HashFunction>(by function: Function.Type) -> any Digest {
        Function.hash(data: bytes)
    }

    private func supplied<Function: HashFunction>(to function: Function.Type) -> (any Digest)? {
        Function.digest(holding: bytes)
    }
}
#endif
