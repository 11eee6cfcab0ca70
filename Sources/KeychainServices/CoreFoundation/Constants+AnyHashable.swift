// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An `NSString` as a key or a value of type `AnyHashable` equals the `String` of the same characters.
///
/// It does on Apple's platforms. Without this conformance, a `kSec…` constant finds no value in a result that is cast to
/// `[AnyHashable: Any]`, and `NSDictionary.isEqual(to:)` is false if a value is a constant. The conformance covers the
/// whole class, because code outside Foundation cannot derive from `NSString` on Linux.
extension NSString: @retroactive _HasCustomAnyHashableRepresentation {
    // swift-format-ignore: NoLeadingUnderscores
    /// The `String` that represents this object in an `AnyHashable`.
    public func _toCustomAnyHashable() -> AnyHashable? { AnyHashable(self as String) }
}

/// `kCFBooleanTrue` and `kCFBooleanFalse` as values of type `AnyHashable` equal `true` and `false`.
///
/// Without this `NSDictionary.isEqual(to:)` finds a dictionary with one of them unequal to itself.
extension NSNumber: @retroactive _HasCustomAnyHashableRepresentation {
    // swift-format-ignore: NoLeadingUnderscores
    /// The Boolean that a constant stands for; `nil` leaves every other number as it is.
    public func _toCustomAnyHashable() -> AnyHashable? {
        self === kCFBooleanTrue || self === kCFBooleanFalse ? AnyHashable(boolValue) : nil
    }
}
