// SPDX-License-Identifier: Apache-2.0

#if Objects
package import FoundationEssentials
import SwiftASN1

/// An X.509 certificate, read but not verified: nothing here says that it is genuine.
///
/// The structure is checked, and the names and dates; the extensions are read when they are asked for, and one that
/// is malformed counts as absent. Source: RFC 5280.
package struct ParsedCertificate: Sendable {
    /// The largest certificate that is read, in bytes; the largest in common use have a tenth of it.
    package static let largestSize = 256 * 1024

    /// The certificate and nothing after it.
    package let der: Data
    /// 1, 2 or 3.
    package let version: Int
    /// The content bytes of the serial number, the sign's included.
    package let serialNumber: Data
    /// The DER of the issuer's Name, as it is written.
    package let issuer: Data
    /// The DER of the subject's Name, as it is written.
    package let subject: Data
    package let normalizedIssuer: NormalizedName
    package let normalizedSubject: NormalizedName
    /// When it begins to be valid, in seconds since 2001-01-01 00:00 UTC.
    package let notBefore: Double
    /// The last moment at which it is valid, in the same measure.
    package let notAfter: Double
    /// The DER of the public key and of what kind it is.
    package let subjectPublicKeyInfo: Data
    /// The bits of the public key alone, whose SHA-1 is the public key's hash.
    package let publicKeyBits: Data

    let subjectName: DirectoryName
    private let extensions: [CertificateExtension]

    /// Reads the certificate at the head of the bytes; what follows it is cut off.
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
        // The unique identifiers of version 2, which nobody uses.
        _ = fields.optional(.field(1))
        _ = fields.optional(.field(2))
        extensions = try CertificateExtension.all(fields.optional(.field(3)))
        try fields.end()
    }

    /// Whether the date, in seconds since 2001-01-01 00:00 UTC, is in the period of validity, both ends included.
    package func isValid(at date: Double) -> Bool { notBefore <= date && date <= notAfter }

    /// The value of an extension, parsed; `nil` where there is none or it is no DER.
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

/// One extension; whether it is critical is for those who verify.
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
    /// The tag of a field that has no type of its own.
    static func field(_ number: UInt) -> Self { Self(tagWithNumber: number, tagClass: .contextSpecific) }
}

extension ASN1Node {
    /// The element within an explicit tag.
    fileprivate func onlyElement() throws(CertificateError) -> ASN1Node {
        guard case .constructed(let nodes) = content else { throw .malformed }
        var iterator = nodes.makeIterator()
        guard let node = iterator.next(), iterator.next() == nil else { throw .malformed }
        return node
    }
}
#endif
