// SPDX-License-Identifier: Apache-2.0

package struct Deadline: Sendable {
    private let end: ContinuousClock.Instant
    private let now: @Sendable () -> ContinuousClock.Instant

    package init(milliseconds: Int, by now: @escaping @Sendable () -> ContinuousClock.Instant) {
        end = now() + .milliseconds(milliseconds)
        self.now = now
    }

    package var millisecondsLeft: CInt {
        let left = now().duration(to: end)
        let (seconds, fraction) = left.components
        return CInt(clamping: max(0, seconds * 1_000 + fraction / 1_000_000_000_000_000))
    }
}
