// SPDX-License-Identifier: Apache-2.0

#if Objects
import SwiftASN1

/// An X.509 Name: a sequence of sets of attributes.
///
/// Source: RFC 5280, section 4.1.2.4.
struct DirectoryName: Sendable {
    struct Attribute: Sendable {
        /// The object identifier of the attribute's type.
        let type: ArraySlice<UInt8>
        let encodedType: ArraySlice<UInt8>
        let value: ASN1Node
    }

    /// The relative distinguished names in encoding order, from the root down.
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

    /// The string values of one attribute type, in order.
    ///
    /// Values that cannot be decoded are omitted.
    func strings(of type: [UInt8]) -> [String] {
        relativeNames.joined().filter { $0.type.elementsEqual(type) }.compactMap { $0.value.string }
    }

    var strings: [String] { relativeNames.joined().compactMap { $0.value.string } }
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
