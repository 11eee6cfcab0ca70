// SPDX-License-Identifier: Apache-2.0

#if Objects
package import FoundationEssentials
import SwiftASN1

/// A parsed X.509 certificate, which has not been verified.
///
/// Parsing checks the structure, names and dates. Extensions are parsed when they are read; a malformed
/// extension counts as absent. Source: RFC 5280.
package struct ParsedCertificate: Sendable {
    /// The maximum size of a certificate in bytes, ten times that of the largest certificates in use.
    package static let largestSize = 256 * 1024

    /// The DER of the certificate, without trailing data.
    package let der: Data
    /// The X.509 version: 1, 2 or 3.
    package let version: Int
    /// The content bytes of the serial number, an INTEGER in two's complement.
    package let serialNumber: Data
    /// The DER of the issuer's Name, unchanged.
    package let issuer: Data
    /// The DER of the subject's Name, unchanged.
    package let subject: Data
    package let normalizedIssuer: NormalizedName
    package let normalizedSubject: NormalizedName
    /// The start of the validity period, in seconds since 2001-01-01 00:00 UTC.
    package let notBefore: Double
    /// The end of the validity period, in seconds since 2001-01-01 00:00 UTC.
    package let notAfter: Double
    /// The DER of the SubjectPublicKeyInfo: the algorithm and the public key.
    package let subjectPublicKeyInfo: Data
    /// The content of the public key's BIT STRING, whose SHA-1 is the public key hash.
    package let publicKeyBits: Data

    let subjectName: DirectoryName
    private let extensions: [CertificateExtension]

    /// Parses the certificate at the start of the data and ignores trailing data.
    package init(parsing data: Data) throws(CertificateError) {
        let root = try DERElement.leading(in: data)
        var certificate = try FieldReader(root)
        var fields = try FieldReader(certificate.required(.sequence))
        _ = try certificate.required(.sequence)
        _ = try certificate.primitive(.bitString)
        try certificate.end()
        der = Data(root.encodedBytes)

        version = try Self.version(fields.optional(.field(0)))
        serialNumber = Data(try fields.primitive(.integer))
        guard !serialNumber.isEmpty else { throw .malformed }
        _ = try fields.required(.sequence)
        let issuerNode = try fields.required(.sequence)
        issuer = Data(issuerNode.encodedBytes)
        normalizedIssuer = NormalizedName(try DirectoryName(issuerNode))
        var validity = try FieldReader(fields.required(.sequence))
        notBefore = try ValidityDate.seconds(of: validity.any())
        notAfter = try ValidityDate.seconds(of: validity.any())
        try validity.end()
        let subjectNode = try fields.required(.sequence)
        subject = Data(subjectNode.encodedBytes)
        subjectName = try DirectoryName(subjectNode)
        normalizedSubject = NormalizedName(subjectName)
        let keyNode = try fields.required(.sequence)
        subjectPublicKeyInfo = Data(keyNode.encodedBytes)
        publicKeyBits = try Self.publicKeyBits(keyNode)
        // Skip the unique identifiers of version 2, which are obsolete.
        _ = fields.optional(.field(1))
        _ = fields.optional(.field(2))
        extensions = try CertificateExtension.all(fields.optional(.field(3)))
        try fields.end()
    }

    /// Whether the date is within the validity period, both ends included.
    ///
    /// The date is in seconds since 2001-01-01 00:00 UTC.
    package func isValid(at date: Double) -> Bool { notBefore <= date && date <= notAfter }

    /// The parsed value of an extension; `nil` if it is absent or malformed.
    func value(ofExtension identifier: [UInt8]) -> ASN1Node? {
        guard let found = extensions.first(where: { $0.identifier.elementsEqual(identifier) }) else {
            return nil
        }
        return try? DERElement.parse(found.value)
    }

    private static func version(_ node: ASN1Node?) throws(CertificateError) -> Int {
        guard let node else { return 1 }
        guard let number = try node.onlyElement().content(of: .integer), number.count == 1,
            let version = number.first, version <= 2
        else { throw .malformed }
        return Int(version) + 1
    }

    private static func publicKeyBits(_ node: ASN1Node) throws(CertificateError) -> Data {
        var fields = try FieldReader(node)
        _ = try fields.required(.sequence)
        guard let bits = try? ASN1BitString(derEncoded: fields.required(.bitString)) else { throw .malformed }
        try fields.end()
        return Data(bits.bytes)
    }
}

/// An extension, without the critical flag, which only the chain verifier reads.
private struct CertificateExtension: Sendable {
    let identifier: ArraySlice<UInt8>
    let value: ArraySlice<UInt8>

    static func all(_ node: ASN1Node?) throws(CertificateError) -> [Self] {
        guard let node else { return [] }
        guard let nodes = try node.onlyElement().elements(of: .sequence) else { throw .malformed }
        var extensions: [Self] = []
        for node in nodes { extensions.append(try Self(node)) }
        return extensions
    }

    private init(_ node: ASN1Node) throws(CertificateError) {
        var fields = try FieldReader(node)
        identifier = try fields.primitive(.objectIdentifier)
        _ = fields.optional(.boolean)
        value = try fields.primitive(.octetString)
        try fields.end()
    }
}

extension ASN1Identifier {
    /// Returns the context-specific tag with a number.
    static func field(_ number: UInt) -> Self { Self(tagWithNumber: number, tagClass: .contextSpecific) }
}

extension ASN1Node {
    /// Returns the element inside an explicit tag.
    fileprivate func onlyElement() throws(CertificateError) -> ASN1Node {
        guard case .constructed(let nodes) = content else { throw .malformed }
        var iterator = nodes.makeIterator()
        guard let node = iterator.next(), iterator.next() == nil else { throw .malformed }
        return node
    }
}
#endif
