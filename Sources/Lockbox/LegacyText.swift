// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The texts as which Lockbox 1 and 2 stored values.
enum LegacyText {
    /// What stands between elements, and makes two of an element that has it.
    static let separator = "-|-"

    static func text(of elements: [Any]) -> String {
        elements.map { $0 as? String ?? String(describing: $0) }.joined(separator: separator)
    }

    /// All keys, then all values in the same order.
    static func text(of dictionary: [AnyHashable: Any]) -> String {
        let pairs = Array(dictionary)
        return text(of: pairs.map(\.key.base) + pairs.map(\.value))
    }

    /// The seconds since the beginning of 2001 in the fewest digits that say exactly this moment; `nil` for none.
    static func text(of date: Date) -> String? {
        let seconds = date.timeIntervalSinceReferenceDate
        guard seconds.isFinite else { return nil }
        let text = "\(seconds)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    static func array(_ text: String) -> [String] { text.components(separatedBy: separator) }

    /// `nil` for an odd number of parts; where two keys are the same to Swift, the first counts.
    static func dictionary(_ text: String) -> [String: String]? {
        let parts = array(text)
        guard parts.count.isMultiple(of: 2) else { return nil }
        let half = parts.count / 2
        return Dictionary(zip(parts[..<half], parts[half...])) { first, _ in first }
    }

    /// The number at the beginning, after blanks; 0 where there is none; `nil` for one that no date has.
    static func date(_ text: String) -> Date? {
        let number = text.prefixMatch(of: /\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)/)
        let seconds = number.flatMap { Double($0.1) } ?? 0
        return seconds.isFinite ? Date(timeIntervalSinceReferenceDate: seconds) : nil
    }
}
