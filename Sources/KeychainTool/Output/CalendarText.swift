// SPDX-License-Identifier: Apache-2.0

/// Formats and parses dates in UTC.
///
/// It does not use Foundation's formatters, because loading them takes longer than the rest of the command.
package struct CalendarText {
    private let year, month, day, hour, minute, second: Int

    /// The seconds from 1970-01-01 to 2001-01-01.
    static let secondsTo2001 = 978_307_200.0

    /// Creates a date from seconds since 2001-01-01 00:00 UTC, as in attributes.
    package init(secondsSince2001 seconds: Double) {
        self.init(secondsSince1970: seconds + Self.secondsTo2001)
    }

    /// Creates a date from seconds since 1970-01-01 00:00 UTC, rounded down.
    package init(secondsSince1970 date: Double) {
        // Clamp to the years 1 to 9999, the range of macOS's keychain files.
        let seconds = Int(date.rounded(.down).clamped(to: -62_135_596_800...253_402_300_799))
        let (days, rest) = seconds.quotientAndRemainder(flooredBy: 86_400)
        (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60)
        // Years start in March here, so that the leap day is the last; 1 March 0000 is 719,468 days before
        // 1970.
        let (era, dayOfEra) = (days + 719_468).quotientAndRemainder(flooredBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The start of a day in seconds since 1970-01-01 00:00 UTC; `nil` for an invalid day.
    package static func secondsSince1970(year: Int, month: Int, day: Int) -> Double? {
        guard (1...9_999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        // The inverse of the computation in `init(secondsSince1970:)`: a year starts in March.
        let (yearFromMarch, monthFromMarch) = (month > 2 ? year : year - 1, (month + 9) % 12)
        let (era, yearOfEra) = (yearFromMarch / 400, yearFromMarch % 400)
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfEra = 365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let seconds = Double((era * 146_097 + dayOfEra - 719_468) * 86_400)
        // Return `nil` for an invalid day, such as 30 February, which the computation turns into another day.
        let text = CalendarText(secondsSince1970: seconds)
        return (text.year, text.month, text.day) == (year, month, day) ? seconds : nil
    }

    /// Parses `YYYY-MM-DD` or `MM/DD/YYYY`; `nil` if the day is invalid.
    ///
    /// - Returns: The start of the day in UTC, in seconds since 1970.
    package static func secondsSince1970(day text: String) -> Double? {
        let numbers = text.split(whereSeparator: { "-/".contains($0) }).compactMap {
            UInt16($0).map(Int.init)
        }
        guard numbers.count == 3 else { return nil }
        return text.contains("/")
            ? secondsSince1970(year: numbers[2], month: numbers[0], day: numbers[1])
            : secondsSince1970(year: numbers[0], month: numbers[1], day: numbers[2])
    }

    /// The day in ISO 8601: `2024-01-01`.
    package var day8601: String { String(extended.prefix(10)) }

    /// The date as in macOS's keychain files: `20240101120000Z`.
    package var compact: String { extended.filter { $0.isNumber || $0 == "Z" } }

    /// The date in ISO 8601: `2024-01-01T12:00:00Z`.
    package var extended: String {
        var bytes: [UInt8] = []
        appendExtended(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    func appendExtended(to bytes: inout [UInt8]) {
        Self.append(year / 100, to: &bytes)
        Self.append(year % 100, to: &bytes)
        for (separator, number): (Unicode.Scalar, Int) in [
            ("-", month), ("-", day), ("T", hour), (":", minute), (":", second),
        ] {
            bytes.append(UInt8(ascii: separator))
            Self.append(number, to: &bytes)
        }
        bytes.append(UInt8(ascii: "Z"))
    }

    /// Appends the two digits of a number below 100.
    private static func append(_ number: Int, to bytes: inout [UInt8]) {
        for digit in [number / 10, number % 10] {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit))
        }
    }
}

extension Int {
    fileprivate func quotientAndRemainder(flooredBy divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension Double {
    fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
        isNaN ? range.lowerBound : Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
