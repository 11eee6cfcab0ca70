// SPDX-License-Identifier: Apache-2.0

#if Objects
import Crypto
import CryptoExtras
package import FoundationEssentials

/// One half of a pair of keys.
///
/// The private part is in the library's own objects, whose memory is overwritten when the last holder lets go.
package struct AsymmetricKey: Sendable {
    enum PrivatePart: Sendable {
        case rsa(_RSA.Signing.PrivateKey)
        case ellipticCurve(any CurvePrivateKey)
    }

    enum PublicPart: Sendable {
        case rsa(_RSA.Signing.PublicKey)
        case ellipticCurve(any CurvePublicKey)
    }

    package let type: KeyType
    /// The curve; `nil` for RSA.
    package let curve: Curve?
    /// The size of the modulus or of the field, in bits.
    package let bits: Int
    /// The public half as its external representation has it: PKCS#1, or a point.
    package let publicBytes: Data
    /// Absent from the public half.
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

    private init(_ curve: Curve, _ key: any CurvePublicKey, privatePart: PrivatePart?) {
        type = .ellipticCurve
        self.curve = curve
        bits = curve.bits
        publicBytes = key.x963Representation
        publicPart = .ellipticCurve(key)
        self.privatePart = privatePart
    }

    /// Draws a new private key.
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
        }
    }

    package var half: KeyHalf { privatePart == nil ? .public : .private }

    /// The size in bytes of what RSA computes with, or of a coordinate.
    package var blockSize: Int { (bits + 7) / 8 }

    /// The public half of the pair; of a public key, itself.
    package var publicHalf: AsymmetricKey {
        switch publicPart {
        case .rsa(let key): AsymmetricKey(rsa: key)
        case .ellipticCurve(let key):
            curve.map { AsymmetricKey($0, key) } ?? self
        }
    }

    /// The SHA-1 digest of the public half, by which both halves are found.
    package var applicationLabel: Data { Data(Insecure.SHA1.hash(data: publicBytes)) }

    /// The bytes that stand for the key: PKCS#1 for RSA; for a curve the point, and the scalar after it.
    package var exposedRepresentation: Data {
        switch privatePart {
        case nil: publicBytes
        case .rsa(let key): key.derRepresentation
        case .ellipticCurve(let key): key.x963Representation
        }
    }
}

extension AsymmetricKey: Hashable {
    /// Whether the keys are the same half of the same pair: a private key follows from its public one.
    package static func == (left: Self, right: Self) -> Bool {
        left.half == right.half && left.type == right.type && left.publicBytes == right.publicBytes
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(half)
        hasher.combine(publicBytes)
    }
}
#endif
