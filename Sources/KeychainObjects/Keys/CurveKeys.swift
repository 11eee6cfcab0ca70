// SPDX-License-Identifier: Apache-2.0

#if Objects
import Crypto
import FoundationEssentials

// These protocols abstract over swift-crypto's types for three curves, which have no protocols in common.
// Requirements are declared as in swift-crypto, so that its types conform without code.

protocol CurvePrivateKey: Sendable {
    associatedtype PublicKey: CurvePublicKey
    associatedtype Agreement: CurveAgreementKey

    init(compactRepresentable: Bool)
    /// Parses a point and its scalar; throws if they do not match.
    init<Bytes: ContiguousBytes>(x963Representation: Bytes) throws
    /// Parses a scalar padded to the size of the field.
    init<Bytes: ContiguousBytes>(rawRepresentation: Bytes) throws

    var publicKey: PublicKey { get }
    var x963Representation: Data { get }
    var rawRepresentation: Data { get }

    func signature<D: Digest>(for digest: D) throws -> PublicKey.Signature
}

protocol CurvePublicKey: Sendable {
    associatedtype Signature: CurveSignature

    init<Bytes: ContiguousBytes>(x963Representation: Bytes) throws
    init<Bytes: ContiguousBytes>(compressedRepresentation: Bytes) throws

    var x963Representation: Data { get }

    func isValidSignature<D: Digest>(_ signature: Signature, for digest: D) -> Bool
}

/// An ECDSA signature, in raw or DER form.
protocol CurveSignature {
    init<Bytes: DataProtocol>(rawRepresentation: Bytes) throws
    init<Bytes: DataProtocol>(derRepresentation: Bytes) throws

    var rawRepresentation: Data { get }
    var derRepresentation: Data { get }
}

/// A private key for key agreement, which is a separate type in swift-crypto.
protocol CurveAgreementKey {
    associatedtype PublicKey: CurveAgreementPoint

    init<Bytes: ContiguousBytes>(rawRepresentation: Bytes) throws

    func sharedSecretFromKeyAgreement(with publicKeyShare: PublicKey) throws -> SharedSecret
}

protocol CurveAgreementPoint {
    init<Bytes: ContiguousBytes>(x963Representation: Bytes) throws
}

extension CurvePrivateKey {
    static func generate() -> Self { Self(compactRepresentable: false) }

    static func key(x963Representation: Data) throws -> Self {
        try Self(x963Representation: x963Representation)
    }

    static func key(scalar: Data) throws -> Self { try Self(rawRepresentation: scalar) }

    var publicPart: any CurvePublicKey { publicKey }

    /// Signs a digest, truncated to the size of the field if it is longer.
    func sign(_ digest: CurveDigest, as form: KeyAlgorithm.Signature) throws -> Data {
        let signature = try signature(for: digest)
        return form == .rfc4754 ? signature.rawRepresentation : signature.derRepresentation
    }

    /// Computes a shared secret with a public key on the same curve.
    func agree(with other: any CurvePublicKey) throws -> SharedSecret {
        guard let other = other as? PublicKey else { throw AsymmetricKeyError.wrongInput }
        var scalar = rawRepresentation
        defer { scalar.erase() }
        let point = try Agreement.PublicKey(x963Representation: other.x963Representation)
        return try Agreement(rawRepresentation: scalar).sharedSecretFromKeyAgreement(with: point)
    }
}

extension CurvePublicKey {
    static func key(x963Representation: Data) throws -> Self {
        try Self(x963Representation: x963Representation)
    }

    static func key(compressedRepresentation: Data) throws -> Self {
        try Self(compressedRepresentation: compressedRepresentation)
    }

    func isValid(_ signature: Data, as form: KeyAlgorithm.Signature, for digest: CurveDigest) -> Bool {
        let signature =
            form == .rfc4754
            ? try? Signature(rawRepresentation: signature) : try? Signature(derRepresentation: signature)
        guard let signature else { return false }
        return isValidSignature(signature, for: digest)
    }
}

extension P256.Signing.PrivateKey: CurvePrivateKey { typealias Agreement = P256.KeyAgreement.PrivateKey }
extension P256.Signing.PublicKey: CurvePublicKey {}
extension P256.Signing.ECDSASignature: CurveSignature {}
extension P256.KeyAgreement.PrivateKey: CurveAgreementKey {}
extension P256.KeyAgreement.PublicKey: CurveAgreementPoint {}

extension P384.Signing.PrivateKey: CurvePrivateKey { typealias Agreement = P384.KeyAgreement.PrivateKey }
extension P384.Signing.PublicKey: CurvePublicKey {}
extension P384.Signing.ECDSASignature: CurveSignature {}
extension P384.KeyAgreement.PrivateKey: CurveAgreementKey {}
extension P384.KeyAgreement.PublicKey: CurveAgreementPoint {}

extension P521.Signing.PrivateKey: CurvePrivateKey { typealias Agreement = P521.KeyAgreement.PrivateKey }
extension P521.Signing.PublicKey: CurvePublicKey {}
extension P521.Signing.ECDSASignature: CurveSignature {}
extension P521.KeyAgreement.PrivateKey: CurveAgreementKey {}
extension P521.KeyAgreement.PublicKey: CurveAgreementPoint {}
#endif
