// SPDX-License-Identifier: Apache-2.0

package import Foundation

package enum PropertyList: Hashable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    /// A number that is too large for ``integer(_:)``.
    case unsigned(UInt64)
    case real(Double)
    /// A date, in seconds since the start of 2001 UTC.
    case date(Double)
    case data(Data)
    case string(String)
    /// A reference in a keyed archive: an index into its objects.
    case uid(UInt32)
    case array([PropertyList])
    case set([PropertyList])
    case dictionary([String: PropertyList])
}

extension PropertyList {
    /// The magic bytes `bplist0`, without the last digit of the version.
    private static let magic = Array("bplist0".utf8)

    package static func hasMagic(_ data: some Sequence<UInt8>) -> Bool { data.starts(with: magic) }

    var string: String? { if case .string(let string) = self { string } else { nil } }
    var data: Data? { if case .data(let data) = self { data } else { nil } }
    var uid: Int? { if case .uid(let index) = self { Int(index) } else { nil } }
    var array: [PropertyList]? { if case .array(let array) = self { array } else { nil } }

    package var dictionary: [String: PropertyList]? {
        if case .dictionary(let dictionary) = self { dictionary } else { nil }
    }

    /// The weight of the value without its elements; see ``ParserLimits``.
    var weight: Int { ParserLimits.weight(ofByteCount: data?.count ?? string?.utf8.count ?? 0) }

    var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .real(let value): value
        default: nil
        }
    }
}
