// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc

/// A mutex that also works in a forked child with several threads.
///
/// `Synchronization.Mutex` stores the ID of the thread that holds it, and each thread caches its own ID.
/// After `fork`, the only thread of the child has a new ID, but the mutex stores the cached one. If a second
/// thread then waits for the mutex, it crashes, because the kernel finds no thread with the stored ID.
@safe package struct ForkSafeMutex<Value: ~Copyable>: ~Copyable, Sendable {
    nonisolated(unsafe) private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    nonisolated(unsafe) private let value: UnsafeMutablePointer<Value>

    package init(_ value: consuming sending Value) {
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

    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try unsafe body(&value.pointee)
    }

    /// Calls the closure with the value; returns `nil` if another thread is using it.
    package borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        guard unsafe pthread_mutex_trylock(mutex) == 0 else { return nil }
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try unsafe body(&value.pointee)
    }

    /// Calls the closure with the value; returns `nil` if another thread still uses it at the deadline.
    ///
    /// The deadline is in milliseconds of `CLOCK_MONOTONIC`, which does not follow changes of the system time.
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        until deadline: UInt64,
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        guard unsafe clinux_lock_until(mutex, deadline) == 0 else { return nil }
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try unsafe body(&value.pointee)
    }
}
