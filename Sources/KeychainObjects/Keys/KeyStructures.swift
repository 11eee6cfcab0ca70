// SPDX-License-Identifier: Apache-2.0

#if Objects
import FoundationEssentials
import SwiftASN1

/// AlgorithmIdentifier: the key type, and the curve for NIST curves.
struct KeyAlgorithmIdentifier: DERImplicitlyTaggable {
    static var defaultIdentifier: ASN1Identifier { .sequence }

    private static let rsa: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 1, 1]
    private static let ellipticCurve: ASN1ObjectIdentifier = [1, 2, 840, 10_045, 2, 1]
    private static let ed25519: ASN1ObjectIdentifier = [1, 3, 101, 112]

    let type: KeyType
    /// The curve; `nil` for RSA and Ed25519.
    let curve: Curve?

    init(_ type: KeyType, curve: Curve?) {
        self.type = type
        self.curve = curve
    }

    init(derEncoded node: ASN1Node, withIdentifier identifier: ASN1Identifier) throws {
        self = try DER.sequence(node, identifier: identifier) { nodes in
            switch try ASN1ObjectIdentifier(derEncoded: &nodes) {
            case Self.rsa:
                // The parameters are NULL, or absent in some files.
                if let parameters = nodes.next() { _ = try ASN1Null(derEncoded: parameters) }
                return Self(.rsa, curve: nil)
            case Self.ellipticCurve:
                guard let parameters = nodes.next() else { throw AsymmetricKeyError.malformedKey }
                return Self(.ellipticCurve, curve: try Curve(parameters))
            case Self.ed25519: return Self(.ed25519, curve: nil)
            default: throw AsymmetricKeyError.unsupportedKey
            }
        }
    }

    func serialize(into coder: inout DER.Serializer, withIdentifier identifier: ASN1Identifier) throws {
        try coder.appendConstructedNode(identifier: identifier) { coder in
            switch type {
            case .rsa:
                try coder.serialize(Self.rsa)
                try coder.serialize(ASN1Null())
            case .ellipticCurve:
                try coder.serialize(Self.ellipticCurve)
                if let curve { try coder.serialize(curve.objectIdentifier) }
            case .ed25519: try coder.serialize(Self.ed25519)
            }
        }
    }
}

extension Curve {
    /// Parses a named curve; unknown and explicit curves are unsupported.
    fileprivate init(_ parameters: ASN1Node) throws {
        guard parameters.identifier != .sequence else { throw AsymmetricKeyError.unsupportedKey }
        let identifier = try ASN1ObjectIdentifier(derEncoded: parameters)
        guard let curve = Self.allCases.first(where: { $0.objectIdentifier == identifier }) else {
            throw AsymmetricKeyError.unsupportedKey
        }
        self = curve
    }
}

/// SubjectPublicKeyInfo: an algorithm and a BIT STRING.
struct PublicKeyStructure: DERImplicitlyTaggable {
    static var defaultIdentifier: ASN1Identifier { .sequence }

    let algorithm: KeyAlgorithmIdentifier
    let key: Data

    init(algorithm: KeyAlgorithmIdentifier, key: Data) {
        self.algorithm = algorithm
        self.key = key
    }

    init(derEncoded node: ASN1Node, withIdentifier identifier: ASN1Identifier) throws {
        self = try DER.sequence(node, identifier: identifier) { nodes in
            let algorithm = try KeyAlgorithmIdentifier(derEncoded: &nodes)
            return Self(algorithm: algorithm, key: try ASN1BitString(derEncoded: &nodes).wholeBytes)
        }
    }

    func serialize(into coder: inout DER.Serializer, withIdentifier identifier: ASN1Identifier) throws {
        try coder.appendConstructedNode(identifier: identifier) { coder in
            try coder.serialize(algorithm)
            try coder.serialize(ASN1BitString(bytes: ArraySlice(key)))
        }
    }
}

extension SecretNode {
    /// Encodes a value that is not secret.
    fileprivate static func encoded(of value: some DERSerializable) throws -> Self {
        var serializer = DER.Serializer()
        try serializer.serialize(value)
        return .encoded(Data(serializer.serializedBytes))
    }
}

/// PKCS#8 PrivateKeyInfo: a version, an algorithm and the key in that algorithm's format.
struct PrivateKeyStructure: DERParseable {
    let algorithm: KeyAlgorithmIdentifier
    var key: Data

    init(algorithm: KeyAlgorithmIdentifier, key: Data) {
        self.algorithm = algorithm
        self.key = key
    }

    init(derEncoded node: ASN1Node) throws {
        self = try DER.sequence(node, identifier: .sequence) { nodes in
            let version = try Int(derEncoded: &nodes)
            let algorithm = try KeyAlgorithmIdentifier(derEncoded: &nodes)
            let key = try ASN1OctetString(derEncoded: &nodes)
            // Skip the attributes (tag 0) and the public key (tag 1), which can be computed from the private key.
            let skipped = [UInt(0), 1].map { tag in
                DER.optionalImplicitlyTagged(&nodes, tagNumber: tag, tagClass: .contextSpecific) { $0 }
            }
            // Version 1 is that of RFC 5958, for a structure with the public key.
            guard version == 0 || version == 1 && skipped[1] != nil else {
                throw AsymmetricKeyError.malformedKey
            }
            return Self(algorithm: algorithm, key: Data(key.bytes))
        }
    }

    func node() throws -> SecretNode {
        .group(0x30, [try .encoded(of: 0), try .encoded(of: algorithm), .octets(key)])
    }
}

/// SEC 1 ECPrivateKey: a version, a scalar and optionally the curve and the point.
struct CurveKeyStructure: DERParseable {
    var scalar: Data
    /// The curve, if the structure names it.
    let curve: Curve?
    let point: Data?

    init(scalar: Data, curve: Curve?, point: Data?) {
        self.scalar = scalar
        self.curve = curve
        self.point = point
    }

    init(derEncoded node: ASN1Node) throws {
        self = try DER.sequence(node, identifier: .sequence) { nodes in
            guard try Int(derEncoded: &nodes) == 1 else { throw AsymmetricKeyError.malformedKey }
            let scalar = try ASN1OctetString(derEncoded: &nodes)
            let curve = try DER.optionalExplicitlyTagged(
                &nodes,
                tagNumber: 0,
                tagClass: .contextSpecific
            ) { try Curve($0) }
            let point = try DER.optionalExplicitlyTagged(
                &nodes,
                tagNumber: 1,
                tagClass: .contextSpecific
            ) { try ASN1BitString(derEncoded: $0).wholeBytes }
            return Self(scalar: Data(scalar.bytes), curve: curve, point: point)
        }
    }

    func node() throws -> SecretNode {
        var nodes: [SecretNode] = [try .encoded(of: 1), .octets(scalar)]
        if let curve { nodes.append(.group(0xA0, [try .encoded(of: curve.objectIdentifier)])) }
        if let point {
            nodes.append(.group(0xA1, [try .encoded(of: ASN1BitString(bytes: ArraySlice(point)))]))
        }
        return .group(0x30, nodes)
    }
}

extension ASN1BitString {
    fileprivate var wholeBytes: Data {
        get throws(AsymmetricKeyError) {
            guard paddingBits == 0 else { throw .malformedKey }
            return Data(bytes)
        }
    }
}
#endif
