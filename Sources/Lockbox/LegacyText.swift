// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainWrapperSupport

/// The string formats in which Lockbox 1 and 2 stored values.
enum LegacyText {
    /// The separator of elements; an element that contains the separator is read as two.
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

    /// Encodes a dictionary: all keys, then all values in the same order, joined by the separator.
    static func text(of dictionary: [AnyHashable: Any]) throws(LockboxError) -> String {
        let pairs = Array(dictionary)
        return try text(of: pairs.map(\.key.base) + pairs.map(\.value))
    }

    /// Encodes a date exactly, as decimal seconds since 2001-01-01 00:00 UTC; `nil` if not finite.
    static func text(of date: Date) -> String? {
        let seconds = date.timeIntervalSinceReferenceDate
        guard seconds.isFinite else { return nil }
        let text = "\(seconds)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    static func array(_ text: String) -> [String] { text.components(separatedBy: separator) }

    /// Decodes a set; `nil` if different strings are canonically equivalent, of which a Swift set contains only one.
    static func wholeSet(_ text: String) -> Set<String>? {
        let strings = array(text)
        let set = Set(strings)
        return Set(strings.map { Array($0.utf8) }).count == set.count ? set : nil
    }

    /// Decodes a dictionary: all keys, then all values; `nil` for an odd number of strings.
    ///
    /// If keys are canonically equivalent, the first one wins.
    static func dictionary(_ text: String) -> [String: String]? {
        pairs(text).map { Dictionary($0) { first, _ in first } }
    }

    /// Decodes a dictionary; `nil` for an odd number of strings or for canonically equivalent keys.
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

    /// Decodes a date: seconds since 2001-01-01 00:00 UTC at the start of the string, after white space.
    ///
    /// Without a number, the date is the start of 2001. The result is `nil` if the number is out of range.
    static func date(_ text: String) -> Date? {
        let number = text.prefixMatch(of: /\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)/)
        return date(number.flatMap { Double($0.1) } ?? 0)
    }

    /// Decodes a date from a string that is only a number; `nil` for any other string, and for a number out of range.
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
