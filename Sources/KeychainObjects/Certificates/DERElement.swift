// SPDX-License-Identifier: Apache-2.0

#if Objects
import FoundationEssentials
import SwiftASN1

/// Parses DER with SwiftASN1, after checking its size.
///
/// SwiftASN1 rejects indefinite and padded lengths, elements that reach past their parent, and a depth above
/// 50. It allocates some 100 bytes for each node, and a node can be two bytes long, so the input size is
/// limited.
enum DERElement {
    /// Parses the first element of the data and ignores trailing data.
    static func leading(in data: Data) throws(CertificateError) -> ASN1Node {
        let count = try leadingCount(in: data)
        return try parse([UInt8](data.prefix(count))[...])
    }

    /// Parses the data as one element, without trailing data.
    static func whole(_ data: Data) throws(CertificateError) -> ASN1Node {
        guard data.count <= ParsedCertificate.largestSize else { throw .tooLarge }
        return try parse([UInt8](data)[...])
    }

    static func parse(_ bytes: ArraySlice<UInt8>) throws(CertificateError) -> ASN1Node {
        guard let node = try? DER.parse(bytes) else { throw .malformed }
        return node
    }

    /// Returns the size of the first element, which must be a SEQUENCE, from its header alone.
    private static func leadingCount(in data: Data) throws(CertificateError) -> Int {
        let header = [UInt8](data.prefix(6))
        // After the tag SEQUENCE, the second byte is the length if below 0x80, or else 0x80 plus the number of
        // following length bytes.
        guard header.count >= 2, header[0] == 0x30 else { throw .malformed }
        guard header[1] >= 0x80 else { return try within(data, 2 + Int(header[1])) }
        let width = Int(header[1] & 0x7F)
        guard (1...4).contains(width), header.count >= 2 + width else { throw .malformed }
        let length = header[2..<2 + width].reduce(0) { $0 << 8 | Int($1) }
        return try within(data, 2 + width + length)
    }

    private static func within(_ data: Data, _ count: Int) throws(CertificateError) -> Int {
        guard count <= data.count else { throw .malformed }
        guard count <= ParsedCertificate.largestSize else { throw .tooLarge }
        return count
    }
}

extension ASN1Node {
    /// The content bytes, if the element is primitive and of this type; otherwise `nil`.
    func content(of type: ASN1Identifier) -> ArraySlice<UInt8>? {
        guard identifier == type, case .primitive(let bytes) = content else { return nil }
        return bytes
    }

    /// The child elements, if the element is constructed and of this type; otherwise `nil`.
    func elements(of type: ASN1Identifier) -> ASN1NodeCollection? {
        guard identifier == type, case .constructed(let nodes) = content else { return nil }
        return nodes
    }
}

/// Reads the elements of a SEQUENCE in order.
///
/// SwiftASN1's own readers reject violations of DER that occur in real certificates, for example a SET in the
/// wrong order. A certificate that is only stored need not follow these rules of DER.
struct FieldReader {
    private var nodes: ASN1NodeCollection.Iterator
    private var next: ASN1Node?

    init(_ node: ASN1Node?) throws(CertificateError) {
        guard let elements = node?.elements(of: .sequence) else { throw .malformed }
        nodes = elements.makeIterator()
        next = nodes.next()
    }

    /// Reads the next element if it is of this type.
    mutating func optional(_ type: ASN1Identifier) -> ASN1Node? {
        guard let node = next, node.identifier == type else { return nil }
        next = nodes.next()
        return node
    }

    mutating func any() throws(CertificateError) -> ASN1Node {
        guard let node = next else { throw .malformed }
        next = nodes.next()
        return node
    }

    mutating func required(_ type: ASN1Identifier) throws(CertificateError) -> ASN1Node {
        guard let node = optional(type) else { throw .malformed }
        return node
    }

    /// Reads the content of the next element, which must be primitive.
    mutating func primitive(_ type: ASN1Identifier) throws(CertificateError) -> ArraySlice<UInt8> {
        guard let bytes = try required(type).content(of: type) else { throw .malformed }
        return bytes
    }

    /// Throws if the SEQUENCE has more elements.
    func end() throws(CertificateError) {
        guard next == nil else { throw .malformed }
    }
}
#endif
