// SPDX-License-Identifier: Apache-2.0

#if Objects
import SwiftASN1

enum ValidityDate {
    /// Converts a UTCTime or GeneralizedTime to seconds since 2001-01-01 00:00 UTC.
    static func seconds(of node: ASN1Node) throws(CertificateError) -> Double {
        if let time = try? UTCTime(derEncoded: node) {
            return seconds(
                days: days(year: time.year, month: time.month, day: time.day),
                (time.hours, time.minutes, time.seconds)
            )
        }
        if let time = try? GeneralizedTime(derEncoded: node) {
            let days = days(year: time.year, month: time.month, day: time.day)
            return seconds(days: days, (time.hours, time.minutes, time.seconds)) + time.fractionalSeconds
        }
        throw .malformed
    }

    private static func seconds(days: Int, _ time: (hours: Int, minutes: Int, seconds: Int)) -> Double {
        Double(((days * 24 + time.hours) * 60 + time.minutes) * 60 + time.seconds)
    }

    /// Days since 2001-01-01 in the proleptic Gregorian calendar.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let daysBeforeMonth = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let leapDay = isLeap && month > 2 ? 1 : 0
        return daysBefore(year) - daysBefore(2001) + daysBeforeMonth[month - 1] + leapDay + day - 1
    }

    /// Returns the days from the start of year 1 to the start of `year`: −366 for year 0, a leap year.
    private static func daysBefore(_ year: Int) -> Int {
        guard year > 0 else { return -366 }
        let past = year - 1
        return past * 365 + past / 4 - past / 100 + past / 400
    }
}
#endif
