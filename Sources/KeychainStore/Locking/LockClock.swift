// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
package import KeychainModel

/// The clocks for automatic locking and for the delays between passcode guesses.
///
/// Programs cannot set these clocks, except in a time namespace of their own.
package struct LockClock: Sendable {
    /// The milliseconds since the machine started, including sleep.
    package var sinceStart: @Sendable () -> UInt64
    /// The milliseconds since the machine started, excluding sleep.
    package var awake: @Sendable () -> UInt64
    /// The identifier of the current boot, which changes when the machine restarts.
    package var start: @Sendable () -> Bytes16

    package init(
        sinceStart: @escaping @Sendable () -> UInt64,
        awake: @escaping @Sendable () -> UInt64,
        start: @escaping @Sendable () -> Bytes16
    ) {
        self.sinceStart = sinceStart
        self.awake = awake
        self.start = start
    }

    package static let system = Self(
        sinceStart: { milliseconds(CLOCK_BOOTTIME) },
        awake: { milliseconds(CLOCK_MONOTONIC) },
        start: { startIdentifier }
    )

    /// The milliseconds that the machine has slept since it started.
    var asleep: UInt64 {
        let (all, awake) = (sinceStart(), awake())
        return all > awake ? all - awake : 0
    }

    private static func milliseconds(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
    }

    /// The kernel's boot identifier; zero if it is unreadable, and restarts are then not detected.
    private static let startIdentifier: Bytes16 = {
        let file = unsafe open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return .zero }
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 36)
        let count = unsafe text.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
        let digits = text.prefix(max(count, 0)).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == 32 else { return .zero }
        let bytes = stride(from: 0, to: 32, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        return Bytes16(bytes) ?? .zero
    }()
}
