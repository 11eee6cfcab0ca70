// SPDX-License-Identifier: Apache-2.0

#if Objects
import Crypto
import CryptoExtras
package import FoundationEssentials

extension AsymmetricKey {
    /// The longest key or key file that is looked at, in bytes: several times that of an RSA key of 8,192 bits.
    static let largestFile = 32_768

    /// Takes the bytes that stand for a key: PKCS#1 for RSA; for a curve the point, and the scalar after it.
    ///
    /// - Throws: `malformedKey`, also for bytes after the key; `unsupportedKey` for the curves P-192 and P-224, which
    ///   the length tells.
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

    /// Takes an uncompressed point.
    init(point: Data, on curve: Curve) throws(AsymmetricKeyError) {
        guard point.count == curve.pointByteCount, point.first == 4 else { throw .malformedKey }
        self.init(
            curve,
            try AsymmetricKeyError.catching(.malformedKey) {
                try curve.publicKey.key(x963Representation: point)
            }
        )
    }

    /// Takes a point as files have it: uncompressed, or x and the sign of y.
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

    /// Takes a point and its scalar.
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

    /// Takes a scalar; one that is shorter than the field gets zeros in front.
    init(scalar: Data, on curve: Curve) throws(AsymmetricKeyError) {
        guard scalar.count <= curve.coordinateByteCount, !scalar.isEmpty else { throw .malformedKey }
        var padded = Data(count: curve.coordinateByteCount - scalar.count) + scalar
        defer { padded.erase() }
        self.init(
            curve,
            try AsymmetricKeyError.catching(.malformedKey) { try curve.privateKey.key(scalar: padded) }
        )
    }

    /// Takes an RSAPrivateKey of PKCS#1.
    ///
    /// The library finds out by itself which of two forms it has, and ignores what comes after; so the form, the end
    /// and the size are checked before it sees the bytes.
    init(pkcs1Private bytes: Data) throws(AsymmetricKeyError) {
        try RSAStructure.check(bytes, .private)
        self.init(
            rsa: try AsymmetricKeyError.catching(.malformedKey) {
                try _RSA.Signing.PrivateKey(unsafeDERRepresentation: bytes)
            }
        )
    }

    /// Takes an RSAPublicKey of PKCS#1.
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
