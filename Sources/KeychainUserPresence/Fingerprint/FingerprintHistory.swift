// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The fingers of this process so far: the sensor's service counts nothing.
package final class FingerprintHistory: Sendable {
    private struct Content {
        var misses = 0
        var match: ContinuousClock.Instant?
    }

    private let content = Mutex(Content())
    private let now: @Sendable () -> ContinuousClock.Instant

    /// How many fingers in a row may be wrong before no other is looked at.
    package static let mostMisses = 5

    package init(by now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// Whether too many fingers were wrong since the last that was right, or since the passcode was proved.
    package var isLockedOut: Bool { content.withLock { $0.misses >= Self.mostMisses } }

    /// Whether a finger was recognized within the last seconds.
    package func hasMatch(within seconds: Double) -> Bool {
        guard seconds > 0, let match = content.withLock({ $0.match }) else { return false }
        return match.duration(to: now()) <= .seconds(seconds)
    }

    func addMiss() { content.withLock { $0.misses += 1 } }

    func addMatch() {
        let now = now()
        content.withLock { $0 = Content(match: now) }
    }

    /// The passcode was proved, which says more than a finger.
    package func forgetMisses() { content.withLock { $0.misses = 0 } }
}
