// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The description of a Foundation object, identical on all platforms.
///
/// The original libraries use descriptions as keys and values, so these are part of their storage format.
package enum ObjectDescription {
    /// Returns the description of a value.
    ///
    /// Booleans are `1` and `0`. Fractions have up to 16 digits, or up to 7 if created from a `Float`;
    /// integral values have no decimal point. Data is written as all of its bytes in groups of four, as on
    /// Apple's platforms before 2019. Foundation's later descriptions abbreviate long data, so that different
    /// data can have the same description; they also differ between Linux and Apple's platforms.
    ///
    /// - Throws: ``KeyedArchiveError/tooDeep`` or `tooLarge` for a collection outside the ``ParserLimits``,
    ///   such as one that contains itself.
    package static func text(of value: Any) throws(KeyedArchiveError) -> String {
        try Container.check(value)
        if let single = singlePrecision(value) { return String(format: "%.7g", Double(single)) }
        switch PropertyList(scalar: value) {
        case .string(let text): return text
        case .boolean(let boolean): return boolean ? "1" : "0"
        case .integer(let number): return String(number)
        case .unsigned(let number): return String(number)
        case .real(let number): return String(format: "%.16g", number)
        case .data(let data): return description(of: data)
        default: return String(describing: value)
        }
    }

    /// Returns the value of a number that was created from a `Float`; `nil` for any other value.
    ///
    /// As a `Double`, such a number would have spurious digits.
    private static func singlePrecision(_ value: Any) -> Float? {
        guard let number = value as? NSNumber, unsafe number.objCType.pointee == CChar(UInt8(ascii: "f"))
        else {
            return nil
        }
        return number.floatValue
    }

    private static func description(of data: Data) -> String {
        var text = "<"
        for (index, byte) in data.enumerated() {
            if index > 0, index.isMultiple(of: 4) { text += " " }
            text += (byte < 0x10 ? "0" : "") + String(byte, radix: 16)
        }
        return text + ">"
    }
}
