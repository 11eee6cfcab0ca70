// SPDX-License-Identifier: Apache-2.0

import Foundation

extension NSNumber {
    /// The number as a property list has it, in which Booleans, integers and fractions are different things.
    var propertyList: PropertyList? {
        // A decimal number is not one of them, and Foundation's archiver on Linux does not survive it.
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
    /// Booleans alone have this type: a number of 8 bits has that of an `Int32`.
    private var isBoolean: Bool { unsafe objCType.pointee == CChar(UInt8(ascii: "c")) }
    #endif
}
