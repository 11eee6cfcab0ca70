// SPDX-License-Identifier: Apache-2.0

/// A hybrid logical clock: 48 bits of milliseconds since 1970 and a counter of 16 bits.
///
/// Each record has a clock of its own, so a device whose clock is wrong affects only the items that it edits.
package struct HybridClock: Hashable, Comparable, Sendable {
    package let value: UInt64

    /// The largest clock of a valid record: the year 2200.
    package static let latest = HybridClock(value: 7_258_118_400_000 << 16)
    /// The range to which the time of a change is clamped: 2001 to 2100, in milliseconds since 1970.
    private static let times: ClosedRange<UInt64> = 978_307_200_000...4_102_444_800_000

    package init(value: UInt64) { self.value = value }

    /// Creates the clock of a change: its time, or the replaced version's clock plus one if that is later.
    package init(time milliseconds: UInt64, after edited: HybridClock?) {
        let time = min(max(milliseconds, Self.times.lowerBound), Self.times.upperBound) << 16
        value = max(time, edited.map { $0.value &+ 1 } ?? 0)
    }

    package static func < (left: Self, right: Self) -> Bool { left.value < right.value }

    package var milliseconds: UInt64 { value >> 16 }
}
