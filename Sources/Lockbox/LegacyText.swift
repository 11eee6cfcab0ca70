// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainWrapperSupport

/// The string formats in which Lockbox 1 and 2 stored values.
enum LegacyText {
    /// The separator of elements; an element that contains it is split.
    static let separator = "-|-"

    static func text(of elements: [Any]) throws(LockboxError) -> String {
        do throws(KeyedArchiveError) {
            var texts: [String] = []
            for element in elements { texts.append(try ObjectDescription.text(of: element)) }
            return texts.joined(separator: separator)
        } catch {
            throw .unsupportedValue
        }
    }

    /// The string of a dictionary: all keys, then all values in the same order.
    static func text(of dictionary: [AnyHashable: Any]) throws(LockboxError) -> String {
        let pairs = Array(dictionary)
        return try text(of: pairs.map(\.key.base) + pairs.map(\.value))
    }

    /// The shortest exact decimal of the seconds since 2001; `nil` if not finite.
    static func text(of date: Date) -> String? {
        let seconds = date.timeIntervalSinceReferenceDate
        guard seconds.isFinite else { return nil }
        let text = "\(seconds)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    static func array(_ text: String) -> [String] { text.components(separatedBy: separator) }

    /// The dictionary of a string; `nil` for an odd number of parts.
    ///
    /// If two keys are equal in Swift, the first one counts.
    static func dictionary(_ text: String) -> [String: String]? {
        pairs(text).map { Dictionary($0) { first, _ in first } }
    }

    /// The dictionary of a string; `nil` if it would lose information.
    static func wholeDictionary(_ text: String) -> [String: String]? {
        guard let pairs = pairs(text), let dictionary = dictionary(text), dictionary.count == pairs.count
        else {
            return nil
        }
        return dictionary
    }

    private static func pairs(_ text: String) -> [(String, String)]? {
        let parts = array(text)
        guard parts.count.isMultiple(of: 2) else { return nil }
        let half = parts.count / 2
        return Array(zip(parts[..<half], parts[half...]))
    }

    /// The date of a number at the start, after white space.
    ///
    /// It is 0 without a number, and `nil` if the number is out of range.
    static func date(_ text: String) -> Date? {
        let number = text.prefixMatch(of: /\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)/)
        return date(number.flatMap { Double($0.1) } ?? 0)
    }

    /// The date of a string that contains only a number.
    static func wholeDate(_ text: String) -> Date? {
        guard text.wholeMatch(of: /[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/) != nil else {
            return nil
        }
        return Double(text).flatMap { date($0) }
    }

    private static func date(_ seconds: Double) -> Date? {
        seconds.isFinite ? Date(timeIntervalSinceReferenceDate: seconds) : nil
    }
}
