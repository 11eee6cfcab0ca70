// SPDX-License-Identifier: Apache-2.0

#if Objects
import Crypto
import CryptoExtras
package import FoundationEssentials

/// The public or private key of a key pair.
///
/// The private part is held in swift-crypto objects, which overwrite their memory when they are released.
package struct AsymmetricKey: Sendable {
    enum PrivatePart: Sendable {
        case rsa(_RSA.Signing.PrivateKey)
        case ellipticCurve(any CurvePrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
        /// A token (`securityd`) keeps the private part, and performs the operations with it.
        case token
    }

    enum PublicPart: Sendable {
        case rsa(_RSA.Signing.PublicKey)
        case ellipticCurve(any CurvePublicKey)
        case ed25519(Curve25519.Signing.PublicKey)
    }

    package let type: KeyType
    /// The curve; `nil` for RSA and Ed25519.
    package let curve: Curve?
    /// The size of the RSA modulus or of the curve's field in bits; for Ed25519, of the public key.
    package let bits: Int
    /// The external representation of the public key: PKCS#1, an X9.63 point, or 32 bytes for Ed25519.
    package let publicBytes: Data
    /// The private part; `nil` in a public key.
    let privatePart: PrivatePart?
    let publicPart: PublicPart

    init(rsa key: _RSA.Signing.PrivateKey) {
        self.init(rsa: key.publicKey, privatePart: .rsa(key))
    }

    init(rsa key: _RSA.Signing.PublicKey) { self.init(rsa: key, privatePart: nil) }

    private init(rsa key: _RSA.Signing.PublicKey, privatePart: PrivatePart?) {
        type = .rsa
        curve = nil
        bits = key.keySizeInBits
        publicBytes = key.pkcs1DERRepresentation
        publicPart = .rsa(key)
        self.privatePart = privatePart
    }

    init(_ curve: Curve, _ key: any CurvePrivateKey) {
        self.init(curve, key.publicPart, privatePart: .ellipticCurve(key))
    }

    init(_ curve: Curve, _ key: any CurvePublicKey) { self.init(curve, key, privatePart: nil) }

    init(_ curve: Curve, _ key: any CurvePublicKey, privatePart: PrivatePart?) {
        type = .ellipticCurve
        self.curve = curve
        bits = curve.bits
        publicBytes = key.x963Representation
        publicPart = .ellipticCurve(key)
        self.privatePart = privatePart
    }

    init(ed25519 key: Curve25519.Signing.PrivateKey) {
        self.init(ed25519: key.publicKey, privatePart: .ed25519(key))
    }

    init(ed25519 key: Curve25519.Signing.PublicKey) { self.init(ed25519: key, privatePart: nil) }

    private init(ed25519 key: Curve25519.Signing.PublicKey, privatePart: PrivatePart?) {
        type = .ed25519
        curve = nil
        bits = Self.ed25519Bits
        publicBytes = key.rawRepresentation
        publicPart = .ed25519(key)
        self.privatePart = privatePart
    }

    package init(generating specification: KeySpecification) throws(AsymmetricKeyError) {
        switch specification {
        case .rsa(let bits):
            self.init(
                rsa: try AsymmetricKeyError.catching(.operationFailed) {
                    try _RSA.Signing.PrivateKey(keySize: .init(bitCount: bits))
                }
            )
        case .ellipticCurve(let curve):
            self.init(curve, curve.privateKey.generate())
        case .ed25519: self.init(ed25519: Curve25519.Signing.PrivateKey())
        }
    }

    package var half: KeyHalf { privatePart == nil ? .public : .private }

    /// The size in bytes of the RSA modulus or of a coordinate.
    package var blockSize: Int { (bits + 7) / 8 }

    package var publicHalf: AsymmetricKey {
        switch publicPart {
        case .rsa(let key): AsymmetricKey(rsa: key)
        case .ellipticCurve(let key):
            curve.map { AsymmetricKey($0, key) } ?? self
        case .ed25519(let key): AsymmetricKey(ed25519: key)
        }
    }

    /// The SHA-1 digest of the public key, which is the application label of both keys of the pair.
    package var applicationLabel: Data { Data(Insecure.SHA1.hash(data: publicBytes)) }

    /// The external representation: PKCS#1 for RSA, X9.63 for curves, 32 bytes for Ed25519.
    ///
    /// X9.63 is the point, followed by the scalar for a private key.
    package var externalRepresentation: Data {
        switch privatePart {
        // The item of a key in a token has the public key as value.
        case nil, .token: publicBytes
        case .rsa(let key): key.derRepresentation
        case .ellipticCurve(let key): key.x963Representation
        case .ed25519(let key): key.rawRepresentation
        }
    }
}

extension AsymmetricKey: Hashable {
    /// Whether both keys are public, or both are private, and have the same type and public key.
    ///
    /// The public key determines the private key.
    package static func == (left: Self, right: Self) -> Bool {
        left.half == right.half && left.type == right.type && left.publicBytes == right.publicBytes
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(half)
        hasher.combine(publicBytes)
    }
}
#endif
