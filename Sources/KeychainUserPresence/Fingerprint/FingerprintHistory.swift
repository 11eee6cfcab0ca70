// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Counts the unrecognized fingers in this process, and stores when a finger was last recognized.
///
/// fprintd itself does not limit attempts.
package final class FingerprintHistory: Sendable {
    private struct Content {
        var misses = 0
        var match: ContinuousClock.Instant?
    }

    private let content = Mutex(Content())
    private let now: @Sendable () -> ContinuousClock.Instant

    /// The number of unrecognized fingers in a row that locks out fingerprint authentication.
    package static let maximumMisses = 5

    package init(by now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// Whether too many fingers were not recognized since the last recognized finger or passcode.
    package var isLockedOut: Bool { content.withLock { $0.misses >= Self.maximumMisses } }

    /// Whether a finger was recognized at most this many seconds ago.
    package func hasMatch(within seconds: Double) -> Bool {
        guard seconds > 0, let match = content.withLock({ $0.match }) else { return false }
        return match.duration(to: now()) <= .seconds(seconds)
    }

    func addMiss() { content.withLock { $0.misses += 1 } }

    func addMatch() {
        let now = now()
        content.withLock { $0 = Content(match: now) }
    }

    /// Resets the count of unrecognized fingers after the passcode was verified.
    package func resetMisses() { content.withLock { $0.misses = 0 } }
}
