// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What Foundation's object for a value says of itself, on every platform the same.
///
/// The wrappers' originals made keys and texts of it, so it is part of what they stored.
package enum ObjectDescription {
    /// The words of a value.
    ///
    /// Booleans are 1 and 0. Fractions have up to 16 digits, and none for nothing after the point. Data are all of their
    /// bytes, in groups of four, as Apple's described themselves before 2019; what they have said since tells neither long
    /// data apart nor is it the same on Linux.
    ///
    /// - Throws: ``KeyedArchiveError/tooDeep`` or `tooLarge` for a collection that ``ReadingLimits`` do not allow, such as one
    ///   that contains itself: its description would be infinite, or grow with the square of the depth.
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

    /// A number that was made of a `Float`, which as a fraction would have digits that nobody wrote.
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
