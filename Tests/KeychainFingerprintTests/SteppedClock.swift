// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A clock that a test advances.
final class SteppedClock: Sendable {
    private let instant = Mutex(ContinuousClock.now)

    var now: ContinuousClock.Instant { instant.withLock { $0 } }

    func advance(by seconds: Int) { instant.withLock { $0 += .seconds(seconds) } }
}
