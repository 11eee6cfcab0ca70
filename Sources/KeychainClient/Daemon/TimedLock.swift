// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainModel

/// A value that one thread uses at a time; other threads wait until a deadline.
@safe final class TimedLock<Value>: Sendable {
    nonisolated(unsafe) private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// Protected by the mutex.
    nonisolated(unsafe) private let value: UnsafeMutablePointer<Value>

    init(_ value: sending Value) {
        unsafe mutex = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        unsafe self.value = .allocate(capacity: 1)
        unsafe self.value.initialize(to: value)
    }

    deinit {
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Calls the closure with the value.
    ///
    /// - Throws: `notAvailable` with `daemonTimeout` if another thread uses the value until the deadline.
    func withLock<Result>(
        until deadline: Deadline,
        _ body: (inout Value) throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        var time = deadline.time
        guard unsafe pthread_mutex_timedlock(mutex, &time) == 0 else {
            throw StatusError(.notAvailable, .daemonTimeout)
        }
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try unsafe body(&value.pointee)
    }
}

/// The time at which a call to the daemon gives up.
struct Deadline: Sendable {
    /// The time in milliseconds since 1970.
    let milliseconds: UInt64

    /// The time limit of a call that only accesses the store, in milliseconds.
    static let call: UInt64 = 5_000
    /// The time limit of a call that derives a key or makes many changes, in milliseconds.
    static let longCall: UInt64 = 120_000

    init(after milliseconds: UInt64) { self.milliseconds = Self.now + milliseconds }

    static var now: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
    }

    /// The remaining milliseconds; 0 if the deadline has passed.
    var remaining: CInt {
        let now = Self.now
        return now >= milliseconds ? 0 : CInt(clamping: milliseconds - now)
    }

    fileprivate var time: timespec {
        timespec(tv_sec: Int(milliseconds / 1_000), tv_nsec: Int(milliseconds % 1_000) * 1_000_000)
    }
}
