// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Makes an `NSString` in an `AnyHashable` equal to the same `String`, as on Apple's platforms.
///
/// Without this conformance, a `kSec…` constant finds no value in a result that is cast to `[AnyHashable:
/// Any]`, and `NSDictionary.isEqual(to:)` is false if a value is a constant. The constants cannot
/// have their own class with this conformance, because code outside Foundation cannot subclass `NSString` on
/// Linux.
extension NSString: @retroactive _HasCustomAnyHashableRepresentation {
    // swift-format-ignore: NoLeadingUnderscores
    /// The `String` that represents this object in an `AnyHashable`.
    public func _toCustomAnyHashable() -> AnyHashable? { AnyHashable(self as String) }
}

/// Makes `kCFBooleanTrue` and `kCFBooleanFalse` in an `AnyHashable` equal to `true` and `false`.
///
/// Without this conformance, `NSDictionary.isEqual(to:)` returns false if a dictionary with one of these
/// constants is compared with itself.
extension NSNumber: @retroactive _HasCustomAnyHashableRepresentation {
    // swift-format-ignore: NoLeadingUnderscores
    /// The `Bool` for `kCFBooleanTrue` or `kCFBooleanFalse`; `nil` for other numbers, which stay numbers.
    public func _toCustomAnyHashable() -> AnyHashable? {
        self === kCFBooleanTrue || self === kCFBooleanFalse ? AnyHashable(boolValue) : nil
    }
}
