// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials

/// What the library's three types of private keys share; it has no protocol for it.
protocol CurvePrivateKey: Sendable {
    /// Draws a new key.
    static func generate() -> Self

    /// Takes a point and its scalar; throws if they do not belong together.
    static func key(x963Representation: Data) throws -> Self

    /// Takes a scalar of full length.
    static func key(scalar: Data) throws -> Self

    var publicPart: any CurvePublicKey { get }
    var x963Representation: Data { get }

    /// Signs a digest, cut to the size of the field if it is longer.
    func sign(_ digest: CurveDigest, as form: KeyAlgorithm.Signature) throws -> Data

    /// Agrees on a secret with a public key of the same curve.
    func agree(with other: any CurvePublicKey) throws -> SharedSecret
}

/// What the library's three types of public keys share.
protocol CurvePublicKey: Sendable {
    static func key(x963Representation: Data) throws -> Self

    var x963Representation: Data { get }

    func isValid(_ signature: Data, as form: KeyAlgorithm.Signature, for digest: CurveDigest) -> Bool
}

// MARK: P256

extension P256.Signing.PrivateKey: CurvePrivateKey {
    static func generate() -> Self { Self(compactRepresentable: false) }

    static func key(x963Representation: Data) throws -> Self {
        try Self(x963Representation: x963Representation)
    }

    static func key(scalar: Data) throws -> Self { try Self(rawRepresentation: scalar) }

    var publicPart: any CurvePublicKey { publicKey }

    func sign(_ digest: CurveDigest, as form: KeyAlgorithm.Signature) throws -> Data {
        let signature = try signature(for: digest)
        return form == .rfc4754 ? signature.rawRepresentation : signature.derRepresentation
    }

    func agree(with other: any CurvePublicKey) throws -> SharedSecret {
        guard let other = other as? P256.Signing.PublicKey else { throw AsymmetricKeyError.wrongInput }
        var scalar = rawRepresentation
        defer { scalar.erase() }
        return try P256.KeyAgreement.PrivateKey(rawRepresentation: scalar)
            .sharedSecretFromKeyAgreement(
                with: P256.KeyAgreement.PublicKey(x963Representation: other.x963Representation)
            )
    }
}

extension P256.Signing.PublicKey: CurvePublicKey {
    static func key(x963Representation: Data) throws -> Self {
        try Self(x963Representation: x963Representation)
    }

    func isValid(_ signature: Data, as form: KeyAlgorithm.Signature, for digest: CurveDigest) -> Bool {
        guard
            let signature = form == .rfc4754
                ? try? P256.Signing.ECDSASignature(rawRepresentation: signature)
                : try? P256.Signing.ECDSASignature(derRepresentation: signature)
        else {
            return false
        }
        return isValidSignature(signature, for: digest)
    }
}

// MARK: P384

extension P384.Signing.PrivateKey: CurvePrivateKey {
    static func generate() -> Self { Self(compactRepresentable: false) }

    static func key(x963Representation: Data) throws -> Self {
        try Self(x963Representation: x963Representation)
    }

    static func key(scalar: Data) throws -> Self { try Self(rawRepresentation: scalar) }

    var publicPart: any CurvePublicKey { publicKey }

    func sign(_ digest: CurveDigest, as form: KeyAlgorithm.Signature) throws -> Data {
        let signature = try signature(for: digest)
        return form == .rfc4754 ? signature.rawRepresentation : signature.derRepresentation
    }

    func agree(with other: any CurvePublicKey) throws -> SharedSecret {
        guard let other = other as? P384.Signing.PublicKey else { throw AsymmetricKeyError.wrongInput }
        var scalar = rawRepresentation
        defer { scalar.erase() }
        return try P384.KeyAgreement.PrivateKey(rawRepresentation: scalar)
            .sharedSecretFromKeyAgreement(
                with: P384.KeyAgreement.PublicKey(x963Representation: other.x963Representation)
            )
    }
}

extension P384.Signing.PublicKey: CurvePublicKey {
    static func key(x963Representation: Data) throws -> Self {
        try Self(x963Representation: x963Representation)
    }

    func isValid(_ signature: Data, as form: KeyAlgorithm.Signature, for digest: CurveDigest) -> Bool {
        guard
            let signature = form == .rfc4754
                ? try? P384.Signing.ECDSASignature(rawRepresentation: signature)
                : try? P384.Signing.ECDSASignature(derRepresentation: signature)
        else {
            return false
        }
        return isValidSignature(signature, for: digest)
    }
}

// MARK: P521

extension P521.Signing.PrivateKey: CurvePrivateKey {
    static func generate() -> Self { Self(compactRepresentable: false) }

    static func key(x963Representation: Data) throws -> Self {
        try Self(x963Representation: x963Representation)
    }

    static func key(scalar: Data) throws -> Self { try Self(rawRepresentation: scalar) }

    var publicPart: any CurvePublicKey { publicKey }

    func sign(_ digest: CurveDigest, as form: KeyAlgorithm.Signature) throws -> Data {
        let signature = try signature(for: digest)
        return form == .rfc4754 ? signature.rawRepresentation : signature.derRepresentation
    }

    func agree(with other: any CurvePublicKey) throws -> SharedSecret {
        guard let other = other as? P521.Signing.PublicKey else { throw AsymmetricKeyError.wrongInput }
        var scalar = rawRepresentation
        defer { scalar.erase() }
        return try P521.KeyAgreement.PrivateKey(rawRepresentation: scalar)
            .sharedSecretFromKeyAgreement(
                with: P521.KeyAgreement.PublicKey(x963Representation: other.x963Representation)
            )
    }
}

extension P521.Signing.PublicKey: CurvePublicKey {
    static func key(x963Representation: Data) throws -> Self {
        try Self(x963Representation: x963Representation)
    }

    func isValid(_ signature: Data, as form: KeyAlgorithm.Signature, for digest: CurveDigest) -> Bool {
        guard
            let signature = form == .rfc4754
                ? try? P521.Signing.ECDSASignature(rawRepresentation: signature)
                : try? P521.Signing.ECDSASignature(derRepresentation: signature)
        else {
            return false
        }
        return isValidSignature(signature, for: digest)
    }
}
