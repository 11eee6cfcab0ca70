// SPDX-License-Identifier: Apache-2.0

#if Objects
import SwiftASN1

/// A Name of X.509: a sequence of sets of attributes.
///
/// Source: RFC 5280, section 4.1.2.4.
struct DirectoryName: Sendable {
    struct Attribute: Sendable {
        /// The object identifier of the attribute's type.
        let type: ArraySlice<UInt8>
        let encodedType: ArraySlice<UInt8>
        let value: ASN1Node
    }

    /// The relative names from the root downward, each with its attributes in the order of the encoding.
    let relativeNames: [[Attribute]]

    init(_ node: ASN1Node) throws(CertificateError) {
        guard let sets = node.elements(of: .sequence) else { throw .malformed }
        var names: [[Attribute]] = []
        for set in sets {
            guard let members = set.elements(of: .set) else { throw .malformed }
            var attributes: [Attribute] = []
            for member in members { attributes.append(try Attribute(member)) }
            names.append(attributes)
        }
        relativeNames = names
    }

    /// The text of every attribute of a type, in order; what cannot be decoded is left out.
    func texts(of type: [UInt8]) -> [String] {
        relativeNames.joined().filter { $0.type.elementsEqual(type) }.compactMap { $0.value.text }
    }

    /// The text of every attribute.
    var texts: [String] { relativeNames.joined().compactMap { $0.value.text } }
}

extension DirectoryName.Attribute {
    fileprivate init(_ node: ASN1Node) throws(CertificateError) {
        var fields = try FieldReader(node)
        let typeNode = try fields.required(.objectIdentifier)
        guard let type = typeNode.content(of: .objectIdentifier), !type.isEmpty else { throw .malformed }
        self.type = type
        encodedType = typeNode.encodedBytes
        value = try fields.any()
        try fields.end()
    }
}
#endif
