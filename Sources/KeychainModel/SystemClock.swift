// SPDX-License-Identifier: Apache-2.0

import Glibc

package enum SystemClock {
    /// Milliseconds since the system started, without the time it slept; programs cannot set this clock, and all
    /// processes share it.
    package static var milliseconds: UInt64 { nanoseconds / 1_000_000 }

    /// Nanoseconds since the system started, without the time it slept.
    package static var nanoseconds: UInt64 { read(CLOCK_MONOTONIC) }

    /// Milliseconds since 1970, as files and signatures specify times.
    package static var unixMilliseconds: UInt64 { unixNanoseconds / 1_000_000 }

    package static var unixNanoseconds: UInt64 { read(CLOCK_REALTIME) }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
