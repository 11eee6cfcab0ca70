// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// The time at which a call to the daemon gives up.
struct CallDeadline: Sendable {
    /// Milliseconds of `CLOCK_MONOTONIC`, which is the same for all processes and cannot be set.
    let milliseconds: UInt64

    /// The time limit of a call that only accesses the store, in milliseconds.
    static let call: UInt64 = 5_000
    /// The time limit of a call that derives a key, makes many changes or reads the whole store, in milliseconds.
    static let longCall: UInt64 = 120_000

    init(after milliseconds: UInt64) { self.milliseconds = SystemClock.milliseconds + milliseconds }

    /// The remaining milliseconds; 0 if the deadline has passed.
    var remaining: CInt {
        let now = SystemClock.milliseconds
        return now >= milliseconds ? 0 : CInt(clamping: milliseconds - now)
    }
}
