// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Stands in for the standard library's `Mutex` where the thread sanitizer watches.
///
/// The standard library's is a futex in a library that is not instrumented: the sanitizer sees neither the lock nor what
/// it orders, and takes every value under it for a race. It knows the calls of POSIX threads.
public struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    /// Takes the value that the lock is for.
    public init(_ initialValue: consuming sending Value) {
        unsafe lock = .allocate(capacity: 1)
        unsafe lock.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(lock, nil)
        unsafe value = .allocate(capacity: 1)
        unsafe value.initialize(to: initialValue)
    }

    deinit {
        unsafe pthread_mutex_destroy(lock)
        unsafe lock.deallocate()
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
    }

    /// Runs a closure on the value, one thread after the other.
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        return try unsafe body(&value.pointee)
    }

    /// The same, unless another thread has the value: then `nil`.
    public borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        guard unsafe pthread_mutex_trylock(lock) == 0 else { return nil }
        defer { unsafe pthread_mutex_unlock(lock) }
        return try unsafe body(&value.pointee)
    }
}
