// SPDX-License-Identifier: Apache-2.0

#if Objects
import FoundationEssentials
import SwiftASN1

/// The way from bytes to the nodes of SwiftASN1, bounded in size before anything is read.
///
/// SwiftASN1 refuses indefinite and padded lengths, elements that reach past their parent, and a depth above 50.
/// It keeps some 100 bytes for every node, so that two bytes of a hostile input cost fifty times as much:
/// hence the limit.
enum DERElement {
    /// The element at the head of the bytes; what follows it is cut off.
    static func leading(in data: Data) throws(CertificateError) -> ASN1Node {
        let count = try leadingCount(in: data)
        return try parse([UInt8](data.prefix(count))[...])
    }

    /// The element that the bytes are, to the last one.
    static func whole(_ data: Data) throws(CertificateError) -> ASN1Node {
        guard data.count <= ParsedCertificate.largestSize else { throw .tooLarge }
        return try parse([UInt8](data)[...])
    }

    static func parse(_ bytes: ArraySlice<UInt8>) throws(CertificateError) -> ASN1Node {
        guard let node = try? DER.parse(bytes) else { throw .malformed }
        return node
    }

    /// How long the first element is, read from its header alone: whoever appends 20 MB pays for none of it.
    private static func leadingCount(in data: Data) throws(CertificateError) -> Int {
        let header = [UInt8](data.prefix(6))
        // A SEQUENCE, whose length is in the second byte or in as many bytes as that one says.
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
    /// The content bytes, if the element is of this type and primitive.
    func content(of type: ASN1Identifier) -> ArraySlice<UInt8>? {
        guard identifier == type, case .primitive(let bytes) = content else { return nil }
        return bytes
    }

    /// The elements within, if the element is of this type and constructed.
    func elements(of type: ASN1Identifier) -> ASN1NodeCollection? {
        guard identifier == type, case .constructed(let nodes) = content else { return nil }
        return nodes
    }
}

/// Takes the elements of a SEQUENCE one after the other.
///
/// SwiftASN1's own readers hold certificates to rules that real ones break, such as the order within a SET; what is
/// only stored need not be better than what its issuer wrote.
struct FieldReader {
    private var nodes: ASN1NodeCollection.Iterator
    private var next: ASN1Node?

    init(_ node: ASN1Node?) throws(CertificateError) {
        guard let elements = node?.elements(of: .sequence) else { throw .malformed }
        nodes = elements.makeIterator()
        next = nodes.next()
    }

    /// The next element, if it is of this type.
    mutating func optional(_ type: ASN1Identifier) -> ASN1Node? {
        guard let node = next, node.identifier == type else { return nil }
        next = nodes.next()
        return node
    }

    /// The next element, whatever it is.
    mutating func any() throws(CertificateError) -> ASN1Node {
        guard let node = next else { throw .malformed }
        next = nodes.next()
        return node
    }

    mutating func required(_ type: ASN1Identifier) throws(CertificateError) -> ASN1Node {
        guard let node = optional(type) else { throw .malformed }
        return node
    }

    /// The content of the next element, which must be primitive.
    mutating func primitive(_ type: ASN1Identifier) throws(CertificateError) -> ArraySlice<UInt8> {
        guard let bytes = try required(type).content(of: type) else { throw .malformed }
        return bytes
    }

    /// Refuses anything that is left.
    func end() throws(CertificateError) {
        guard next == nil else { throw .malformed }
    }
}
#endif
