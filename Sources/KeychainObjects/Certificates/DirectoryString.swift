// SPDX-License-Identifier: Apache-2.0

#if Objects
import SwiftASN1

extension ASN1Node {
    /// The value of an ASN.1 string; `nil` for other elements, rare types such as GeneralString, and undecodable bytes.
    ///
    /// A TeletexString is decoded as ISO 8859-1, as on Apple's platforms: certificates rarely contain the
    /// character set T.61 that the standard specifies.
    var string: String? {
        guard case .primitive(let bytes) = content else { return nil }
        switch identifier {
        case .utf8String: return String(validating: bytes, as: UTF8.self)
        case .printableString, .ia5String, .numericString, .visibleString:
            return String(validating: bytes, as: Unicode.ASCII.self)
        case .teletexString: return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        case .bmpString:
            return Self.units(of: bytes, as: UInt16.self).flatMap { String(validating: $0, as: UTF16.self) }
        case .universalString:
            return Self.units(of: bytes, as: UInt32.self).flatMap { String(validating: $0, as: UTF32.self) }
        default: return nil
        }
    }

    /// Decodes big-endian code units; `nil` if the last code unit is truncated.
    private static func units<Unit: FixedWidthInteger & UnsignedInteger>(
        of bytes: ArraySlice<UInt8>,
        as type: Unit.Type
    ) -> [Unit]? {
        let width = Unit.bitWidth / 8
        guard bytes.count.isMultiple(of: width) else { return nil }
        return stride(from: bytes.startIndex, to: bytes.endIndex, by: width).map { start in
            bytes[start..<start + width].reduce(0) { $0 << 8 | Unit($1) }
        }
    }
}
#endif
