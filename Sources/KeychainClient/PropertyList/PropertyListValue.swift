// SPDX-License-Identifier: Apache-2.0

/// A value of a property list; types that entitlements do not use are not decoded.
enum PropertyListValue {
    case string(String)
    case array([Self])
    case dictionary([String: Self])
    /// A value of another type, such as a number, a Boolean, a date or data.
    case other

    /// The maximum depth of nested collections.
    static let deepest = 32
    /// The maximum number of values in a property list, at all depths together.
    static let most = 10_000

    /// Parses an XML or a binary property list; `nil` if it is malformed, nested too deeply, or has too many values.
    init?(parsing bytes: [UInt8]) {
        let value =
            if bytes.starts(with: BinaryPropertyList.magic) {
                BinaryPropertyList(bytes)?.root()
            } else {
                XMLPropertyList.parse(bytes)
            }
        guard let value else { return nil }
        self = value
    }
}
