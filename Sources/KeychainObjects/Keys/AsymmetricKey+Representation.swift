// SPDX-License-Identifier: Apache-2.0

#if Objects
import Crypto
import CryptoExtras
package import FoundationEssentials

extension AsymmetricKey {
    /// The maximum size of a key or key file in bytes, several times that of an 8,192-bit RSA key.
    static let largestFile = 32_768

    /// Parses an external representation: PKCS#1 for RSA, X9.63 for curves, 32 bytes for Ed25519.
    ///
    /// X9.63 is the point, followed by the scalar for a private key.
    ///
    /// - Throws: `malformedKey` for invalid bytes, for trailing data, and for RSA keys of less than 1,024 or more than
    ///   8,192 bits; `unsupportedKey` for P-192 and P-224, which are recognized by length, and for multi-prime RSA
    ///   keys.
    package init(
        _ type: KeyType,
        _ half: KeyHalf,
        representation bytes: Data
    ) throws(AsymmetricKeyError) {
        guard bytes.count <= Self.largestFile else { throw .malformedKey }
        switch (type, half) {
        case (.rsa, .public): try self.init(pkcs1Public: bytes)
        case (.rsa, .private): try self.init(pkcs1Private: bytes)
        case (.ellipticCurve, .public):
            try self.init(
                point: bytes,
                on: try Self.curve(of: bytes, by: \.pointByteCount, unsupported: [49, 57])
            )
        case (.ellipticCurve, .private):
            try self.init(
                pair: bytes,
                on: try Self.curve(of: bytes, by: \.pairByteCount, unsupported: [73, 85])
            )
        case (.ed25519, .public): try self.init(ed25519Public: bytes)
        case (.ed25519, .private): try self.init(ed25519Seed: bytes)
        }
    }

    private static func curve(
        of bytes: Data,
        by count: KeyPath<Curve, Int>,
        unsupported: [Int]
    ) throws(AsymmetricKeyError) -> Curve {
        guard bytes.first == 4 else { throw .malformedKey }
        if let curve = Curve.allCases.first(where: { $0[keyPath: count] == bytes.count }) { return curve }
        throw unsupported.contains(bytes.count) ? .unsupportedKey : .malformedKey
    }

    /// Parses an uncompressed point.
    init(point: Data, on curve: Curve) throws(AsymmetricKeyError) {
        guard point.count == curve.pointByteCount, point.first == 4 else { throw .malformedKey }
        self.init(
            curve,
            try AsymmetricKeyError.catching(.malformedKey) {
                try curve.publicKey.key(x963Representation: point)
            }
        )
    }

    /// Parses an uncompressed or compressed point.
    init(encodedPoint point: Data, on curve: Curve) throws(AsymmetricKeyError) {
        guard point.first != 4 else {
            try self.init(point: point, on: curve)
            return
        }
        guard point.count == 1 + curve.coordinateByteCount else { throw .malformedKey }
        self.init(
            curve,
            try AsymmetricKeyError.catching(.malformedKey) {
                try curve.publicKey.key(compressedRepresentation: point)
            }
        )
    }

    /// Parses an uncompressed point followed by its scalar.
    init(pair: Data, on curve: Curve) throws(AsymmetricKeyError) {
        guard pair.count == curve.pairByteCount, pair.first == 4 else { throw .malformedKey }
        self.init(
            curve,
            try AsymmetricKeyError.catching(.malformedKey) {
                try curve.privateKey.key(x963Representation: pair)
            }
        )
        guard publicBytes == pair.prefix(curve.pointByteCount) else { throw .malformedKey }
    }

    /// Parses a scalar, after padding it with leading zeros to the size of the field.
    init(scalar: Data, on curve: Curve) throws(AsymmetricKeyError) {
        guard scalar.count <= curve.coordinateByteCount, !scalar.isEmpty else { throw .malformedKey }
        var padded = Data(count: curve.coordinateByteCount - scalar.count) + scalar
        defer { padded.erase() }
        self.init(
            curve,
            try AsymmetricKeyError.catching(.malformedKey) { try curve.privateKey.key(scalar: padded) }
        )
    }

    /// Parses the 32 bytes of an Ed25519 private key.
    init(ed25519Seed bytes: Data) throws(AsymmetricKeyError) {
        self.init(
            ed25519: try AsymmetricKeyError.catching(.malformedKey) {
                try Curve25519.Signing.PrivateKey(rawRepresentation: bytes)
            }
        )
    }

    /// Parses the 32 bytes of an Ed25519 public key.
    init(ed25519Public bytes: Data) throws(AsymmetricKeyError) {
        self.init(
            ed25519: try AsymmetricKeyError.catching(.malformedKey) {
                try Curve25519.Signing.PublicKey(rawRepresentation: bytes)
            }
        )
    }

    /// Parses a PKCS#1 RSAPrivateKey.
    ///
    /// CryptoExtras accepts two formats and ignores trailing data, so the format, end and size are checked
    /// first.
    init(pkcs1Private bytes: Data) throws(AsymmetricKeyError) {
        try RSAStructure.check(bytes, .private)
        self.init(
            rsa: try AsymmetricKeyError.catching(.malformedKey) {
                try _RSA.Signing.PrivateKey(unsafeDERRepresentation: bytes)
            }
        )
    }

    /// Parses a PKCS#1 RSAPublicKey.
    init(pkcs1Public bytes: Data) throws(AsymmetricKeyError) {
        try RSAStructure.check(bytes, .public)
        self.init(
            rsa: try AsymmetricKeyError.catching(.malformedKey) {
                try _RSA.Signing.PublicKey(unsafeDERRepresentation: bytes)
            }
        )
    }
}
#endif
