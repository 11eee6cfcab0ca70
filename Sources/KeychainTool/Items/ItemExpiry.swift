// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainModel

/// The date from which a password should no longer be used.
struct ItemExpiry {
    /// The date in seconds since 2001-01-01 00:00 UTC.
    private let date: Double

    init(date: Double) { self.date = date }

    /// The expiry in the attributes of an item; `nil` if the item does not expire.
    init?(_ attributes: Attributes) {
        guard case .date(let date)? = attributes[.endDate], date != 0 else { return nil }
        self.date = date
    }

    /// The current time in seconds since 2001-01-01 00:00 UTC.
    static func now() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) - CalendarText.secondsTo2001
    }

    func isPast(_ now: Double) -> Bool { date <= now }

    /// Whether the item expires within 30 days.
    func isSoon(_ now: Double) -> Bool { !isPast(now) && date < now + 30 * 86_400 }

    var day: String { CalendarText(secondsSince2001: date).day8601 }

    func text(_ now: Double) -> String { "\(isPast(now) ? "expired" : "expires") \(day)" }
}

extension ListedItem {
    var expiry: ItemExpiry? { ItemExpiry(found.attributes) }
}
