// SPDX-License-Identifier: Apache-2.0

import Foundation

extension NSNumber {
    /// The number as a property list; `nil` for a decimal number.
    var propertyList: PropertyList? {
        // Property lists have no decimal numbers, and Foundation's archiver on Linux crashes on one.
        guard !(self is NSDecimalNumber) else { return nil }
        switch unsafe objCType.pointee {
        case _ where isBoolean: return .boolean(boolValue)
        case CChar(UInt8(ascii: "d")), CChar(UInt8(ascii: "f")): return .real(doubleValue)
        case _ where self == NSNumber(value: int64Value): return .integer(int64Value)
        default: return .unsigned(uint64Value)
        }
    }

    #if canImport(Darwin)
    private var isBoolean: Bool { CFGetTypeID(self) == CFBooleanGetTypeID() }
    #else
    /// Whether the Objective-C type is `c`, which only Booleans have: the type of an `Int8` is `i`.
    private var isBoolean: Bool { unsafe objCType.pointee == CChar(UInt8(ascii: "c")) }
    #endif
}
