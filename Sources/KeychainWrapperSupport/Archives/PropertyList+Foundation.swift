// SPDX-License-Identifier: Apache-2.0

import Foundation

extension PropertyList {
    /// Creates a property list from Foundation or Swift values.
    ///
    /// - Parameters:
    ///   - value: Strings, numbers, Booleans, dates, data, arrays, and dictionaries with string keys.
    ///   - strippingNull: Whether to remove `NSNull` from arrays and dictionaries at any depth. Otherwise it
    ///     is rejected, as it always is at the top level.
    /// - Throws: ``KeyedArchiveError/unsupportedValue``; `duplicateKey`, `tooDeep` and `tooLarge` for values
    ///   that the reader would reject.
    package init(foundation value: Any, strippingNull: Bool) throws(KeyedArchiveError) {
        var converter = FoundationConverter(strippingNull: strippingNull)
        self = try converter.list(value, depth: 0)
    }

    /// Returns the value as objects that can be cast to Swift and Foundation types.
    ///
    /// Rejects archive references, `null` and sets, which no writer of property lists produces. If an `NSSet`
    /// contains sets, Foundation on Linux compares them, which can end the process.
    package func foundationValue() throws(KeyedArchiveError) -> Any {
        switch self {
        case .null, .uid, .set: throw .malformed
        case .boolean, .integer, .unsigned, .real, .date, .data, .string: return scalarObject ?? NSNull()
        case .array(let elements):
            var values: [Any] = []
            for element in elements { values.append(try element.foundationValue()) }
            return values
        case .dictionary(let dictionary):
            var values: [String: Any] = [:]
            for (key, value) in dictionary { values[key] = try value.foundationValue() }
            return values
        }
    }

    /// The Foundation object of a scalar value; `nil` for a collection, null or UID.
    var scalarObject: NSObject? {
        switch self {
        case .boolean(let value): NSNumber(value: value)
        case .integer(let value): NSNumber(value: value)
        case .unsigned(let value): NSNumber(value: value)
        case .real(let value): NSNumber(value: value)
        case .date(let seconds): NSDate(timeIntervalSinceReferenceDate: seconds)
        case .data(let data): NSData(data: data)
        case .string(let string): NSString(string: string)
        case .null, .uid, .array, .set, .dictionary: nil
        }
    }

    /// Creates a string, number or data from an object; `nil` for any other object, a decimal number, and a string with
    /// an unpaired surrogate.
    package init?(scalar value: Any) {
        // Casting a Swift collection to a class would convert all its elements to objects.
        guard !(value is any SwiftCollection) else { return nil }
        switch value {
        case let string as NSString:
            // A string with an unpaired surrogate is not valid Unicode, and storing it would change it.
            guard let text = String(validating: (string as String).utf16, as: UTF16.self) else { return nil }
            self = .string(text)
        case let data as NSData: self = .data(data as Data)
        case let number as NSNumber:
            guard let list = number.propertyList else { return nil }
            self = list
        default: return nil
        }
    }
}

/// Converts a Foundation or Swift value; throws `tooDeep` for a value that contains itself.
private struct FoundationConverter {
    let strippingNull: Bool
    let limits = ParserLimits()
    private var weight = 0

    init(strippingNull: Bool) { self.strippingNull = strippingNull }

    mutating func list(_ value: Any, depth: Int) throws(KeyedArchiveError) -> PropertyList {
        guard depth <= limits.depth else { throw .tooDeep }
        weight = try limits.adding(1, to: weight)
        if let container = Container(value) { return try list(container, depth: depth) }
        if let scalar = PropertyList(scalar: value) { return scalar }
        guard let date = value as? NSDate, date.timeIntervalSinceReferenceDate.isFinite else {
            throw .unsupportedValue
        }
        return .date(date.timeIntervalSinceReferenceDate)
    }

    private mutating func list(
        _ container: Container,
        depth: Int
    ) throws(KeyedArchiveError) -> PropertyList {
        switch container.kind {
        case .array:
            var elements: [PropertyList] = []
            for element in container.elements where !isStripped(element) {
                elements.append(try list(element, depth: depth + 1))
            }
            return .array(elements)
        case .dictionary:
            var values: [String: PropertyList] = [:]
            for (key, element) in zip(container.keys, container.elements) where !isStripped(element) {
                guard let name = key as? String else { throw .unsupportedValue }
                let converted = try list(element, depth: depth + 1)
                guard values.updateValue(converted, forKey: name) == nil else { throw .duplicateKey }
            }
            return .dictionary(values)
        case .set, .orderedSet: throw .unsupportedValue
        }
    }

    private func isStripped(_ element: Any) -> Bool {
        // Test for a collection first: `is NSNull` would bridge every element of a collection.
        strippingNull && !(element is any SwiftCollection) && element is NSNull
    }
}
