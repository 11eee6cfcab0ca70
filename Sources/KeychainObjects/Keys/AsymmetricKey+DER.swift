// SPDX-License-Identifier: Apache-2.0

#if Objects
package import FoundationEssentials
import SwiftASN1

extension AsymmetricKey {
    /// Parses a SubjectPublicKeyInfo, which is the public key in a certificate.
    package init(subjectPublicKeyInfo bytes: Data) throws(AsymmetricKeyError) {
        let structure: PublicKeyStructure = try Self.parse(bytes)
        switch (structure.algorithm.type, structure.algorithm.curve) {
        case (.ed25519, _): try self.init(ed25519Public: structure.key)
        case (_, let curve?): try self.init(encodedPoint: structure.key, on: curve)
        default: try self.init(pkcs1Public: structure.key)
        }
    }

    /// Parses an unencrypted PKCS#8 PrivateKeyInfo.
    package init(pkcs8 bytes: Data) throws(AsymmetricKeyError) {
        var structure: PrivateKeyStructure = try Self.parse(bytes)
        defer { structure.key.erase() }
        switch (structure.algorithm.type, structure.algorithm.curve) {
        case (.ed25519, _): try self.init(ed25519Octets: structure.key)
        case (_, let curve?): try self.init(sec1: structure.key, curve: curve)
        default: try self.init(pkcs1Private: structure.key)
        }
    }

    /// Parses the OCTET STRING in which PKCS#8 wraps an Ed25519 private key (RFC 8410).
    private init(ed25519Octets bytes: Data) throws(AsymmetricKeyError) {
        var seed = try [UInt8].withErasedCopy(of: bytes) { bytes throws(AsymmetricKeyError) in
            try AsymmetricKeyError.catching(.malformedKey) {
                Data(try ASN1OctetString(derEncoded: bytes).bytes)
            }
        }
        defer { seed.erase() }
        try self.init(ed25519Seed: seed)
    }

    /// Parses a SEC 1 ECPrivateKey.
    ///
    /// `known` is the curve that the enclosing PKCS#8 structure names; an ECPrivateKey that names another curve
    /// is malformed.
    ///
    /// - Throws: `malformedKey` if the structure is malformed, or if the public point does not match the private
    ///   scalar; `unsupportedKey` for a curve that ``Curve`` does not contain.
    package init(sec1 bytes: Data, curve known: Curve? = nil) throws(AsymmetricKeyError) {
        var structure: CurveKeyStructure = try Self.parse(bytes)
        defer { structure.scalar.erase() }
        guard let curve = known ?? structure.curve, structure.curve ?? curve == curve else {
            throw .malformedKey
        }
        try self.init(scalar: structure.scalar, on: curve)
        guard let point = structure.point else { return }
        guard try AsymmetricKey(encodedPoint: point, on: curve).publicBytes == publicBytes else {
            throw .malformedKey
        }
    }

    private static func parse<Structure: DERParseable>(
        _ bytes: Data
    ) throws(AsymmetricKeyError) -> Structure {
        guard bytes.count <= largestFile else { throw .malformedKey }
        return try [UInt8].withErasedCopy(of: bytes) { bytes throws(AsymmetricKeyError) in
            try AsymmetricKeyError.catching(.malformedKey) { try Structure(derEncoded: bytes) }
        }
    }

    /// Exports the key in a file format: DER, or one of OpenSSH's formats.
    ///
    /// OpenSSH's format is a line of text for a public key, and binary for a private key.
    ///
    /// - Throws: `unsupportedKey` if the format does not support this type of public or private key, or if the key
    ///   is in a token.
    package func exported(as format: KeyFormat) throws(AsymmetricKeyError) -> Data {
        guard !isInToken else { throw .unsupportedKey }
        switch (format, half, type) {
        case (.pkcs1, _, .rsa): return externalRepresentation
        case (.sec1, .private, .ellipticCurve): return try sec1(namesCurve: true)
        case (.pkcs8, .private, _):
            var key = try pkcs8Content()
            defer { key.erase() }
            let structure = PrivateKeyStructure(algorithm: .init(type, curve: curve), key: key)
            return try AsymmetricKeyError.catching(.operationFailed) { try structure.node().encoding }
        case (.subjectPublicKeyInfo, .public, _):
            let algorithm = KeyAlgorithmIdentifier(type, curve: curve)
            return try Self.serialize(PublicKeyStructure(algorithm: algorithm, key: publicBytes))
        case (.openSSH, .public, _): return try openSSHLine()
        case (.openSSH, .private, _): return try openSSHPrivateKey()
        default: throw .unsupportedKey
        }
    }

    /// Returns the content of the private key field of PKCS#8, whose format depends on the key type.
    private func pkcs8Content() throws(AsymmetricKeyError) -> Data {
        guard type != .ellipticCurve else { return try sec1(namesCurve: false) }
        var key = externalRepresentation
        guard type == .ed25519 else { return key }
        defer { key.erase() }
        return SecretNode.octets(key).encoding
    }

    /// Encodes an ECPrivateKey with the point, like OpenSSL, and with the curve if `namesCurve` is true.
    private func sec1(namesCurve: Bool) throws(AsymmetricKeyError) -> Data {
        guard let curve else { throw .unsupportedKey }
        var pair = externalRepresentation
        var scalar = Data(pair.suffix(curve.coordinateByteCount))
        defer {
            pair.erase()
            scalar.erase()
        }
        let structure = CurveKeyStructure(
            scalar: scalar,
            curve: namesCurve ? curve : nil,
            point: publicBytes
        )
        return try AsymmetricKeyError.catching(.operationFailed) { try structure.node().encoding }
    }

    private static func serialize(_ structure: some DERSerializable) throws(AsymmetricKeyError) -> Data {
        try AsymmetricKeyError.catching(.operationFailed) {
            var serializer = DER.Serializer()
            try serializer.serialize(structure)
            return Data(serializer.serializedBytes)
        }
    }
}
#endif
