// SPDX-License-Identifier: Apache-2.0

#if Objects
package import FoundationEssentials
import SwiftASN1

/// A Name in the normalized form in which the attributes `subj` and `issr` store it.
///
/// Each PrintableString is converted to upper case and trimmed, and each run of spaces in it becomes one
/// space; strings of other types are kept byte for byte. Two names that differ only in case are therefore
/// equal only if both use PrintableString. Source: Apple's published Security sources.
package struct NormalizedName: Hashable, Sendable {
    /// The content of the outer SEQUENCE; empty for a name without attributes.
    package let content: Data

    /// The normalized name as DER: the content with the tag and length of the outer SEQUENCE.
    package var sequence: Data {
        var serializer = DER.Serializer()
        serializer.appendConstructedNode(identifier: .sequence) { $0.serializeRawBytes(content) }
        return Data(serializer.serializedBytes)
    }

    /// Normalizes the DER of a Name; `nil` for malformed or too large DER, and for trailing data.
    package init?(parsing data: Data) {
        guard let node = try? DERElement.whole(data), let name = try? DirectoryName(node) else { return nil }
        self.init(name)
    }

    init(_ name: DirectoryName) {
        var serializer = DER.Serializer()
        for relativeName in name.relativeNames {
            serializer.appendConstructedNode(identifier: .set) { set in
                for attribute in relativeName {
                    set.appendConstructedNode(identifier: .sequence) { Self.append(attribute, to: &$0) }
                }
            }
        }
        content = Data(serializer.serializedBytes)
    }

    private static func append(_ attribute: DirectoryName.Attribute, to serializer: inout DER.Serializer) {
        serializer.serializeRawBytes(attribute.encodedType)
        guard let printable = attribute.value.content(of: .printableString) else {
            return serializer.serializeRawBytes(attribute.value.encodedBytes)
        }
        serializer.appendPrimitiveNode(identifier: .printableString) { $0 += normalized(printable) }
    }

    /// Normalizes the spaces and the case of a PrintableString, which contains no other white space.
    private static func normalized(_ text: ArraySlice<UInt8>) -> [UInt8] {
        let space = UInt8(ascii: " ")
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        for word in text.split(separator: space) {
            if !result.isEmpty { result.append(space) }
            result += word.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 & 0xDF : $0 }
        }
        return result
    }
}
#endif
