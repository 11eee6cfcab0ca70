// SPDX-License-Identifier: Apache-2.0

/// Decides whether a thread polls for a short time before it blocks.
///
/// Waking a blocked thread on another processor takes several times as long as the daemon takes to read an item.
/// Polling avoids the wake-up if the other process answers at once. After polling has failed, the next waits block
/// immediately; their number doubles each time, up to a limit, and halves when polling succeeds.
package struct AdaptivePolling: Sendable {
    /// The maximum time of polling, in nanoseconds.
    package static let limit: UInt64 = 50_000
    /// The maximum number of waits without polling after polling has failed.
    package static let longestPause = 255

    /// How many of the next waits block without polling first.
    private var pause = 0
    private var lastPause = 0

    package init() {}

    /// Returns whether this wait polls; if not, counts it as one of the waits without polling.
    private mutating func mayPoll() -> Bool {
        guard pause > 0 else { return true }
        pause -= 1
        return false
    }

    /// Calls the closure until it returns `true`, at most for the time limit.
    ///
    /// It does not yield the processor: on a busy machine, the thread would not get it back for milliseconds.
    ///
    /// - Returns: Whether the closure returned `true`. If not, the caller blocks; the closure may not have been
    ///   called at all.
    package mutating func poll(until isReady: () -> Bool) -> Bool {
        guard mayPoll() else { return false }
        let end = SystemClock.nanoseconds + Self.limit
        var found = false
        repeat { found = isReady() } while !found && SystemClock.nanoseconds < end
        // A thread that lost its processor while polling has gained no time, so its polling also counts as failed.
        if found, SystemClock.nanoseconds < end {
            lastPause /= 2
        } else {
            lastPause = min(2 * lastPause + 1, Self.longestPause)
            pause = lastPause
        }
        return found
    }
}
