// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc

/// A value protected by a mutex, with a condition variable to wait for changes.
@safe final class Monitor<Value>: Sendable {
    nonisolated(unsafe) private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    nonisolated(unsafe) private let condition: UnsafeMutablePointer<pthread_cond_t>
    /// Protected by the mutex.
    nonisolated(unsafe) private let value: UnsafeMutablePointer<Value>

    init(_ value: sending Value) {
        unsafe mutex = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        unsafe condition = .allocate(capacity: 1)
        unsafe Self.initialize(condition)
        unsafe self.value = .allocate(capacity: 1)
        unsafe self.value.initialize(to: value)
    }

    deinit {
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
        unsafe pthread_cond_destroy(condition)
        unsafe condition.deallocate()
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try unsafe body(&value.pointee)
    }

    /// Calls the closure now and each time the thread is woken, until it returns a result.
    func wait<Result: Sendable>(for body: (inout Value) -> Result?) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let result = unsafe body(&value.pointee) { return result }
            unsafe pthread_cond_wait(condition, mutex)
        }
    }

    /// Calls the closure now and each time the thread is woken, until it returns a result or the time is reached.
    ///
    /// - Returns: `nil` if the closure returned no result before the time, in milliseconds of `CLOCK_MONOTONIC`.
    func wait<Result: Sendable>(until deadline: UInt64, for body: (inout Value) -> Result?) -> Result? {
        var time = timespec()
        time.tv_sec = Int(clamping: deadline / 1_000)
        time.tv_nsec = Int(deadline % 1_000) * 1_000_000
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let result = unsafe body(&value.pointee) { return result }
            guard unsafe pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT else {
                return unsafe body(&value.pointee)
            }
        }
    }

    /// Makes times of the condition variable refer to `CLOCK_MONOTONIC`.
    private static func initialize(_ condition: UnsafeMutablePointer<pthread_cond_t>) {
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        defer { unsafe pthread_condattr_destroy(&attributes) }
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
    }

    func wake(_ count: Int) { for _ in 0..<max(count, 0) { unsafe pthread_cond_signal(condition) } }

    func wakeAll() { unsafe pthread_cond_broadcast(condition) }
}

enum DaemonThread {
    private final class Start: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
        argument in
        if let argument = unsafe argument {
            unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
        }
        return nil
    }

    /// Starts a thread; traps if the system cannot create one.
    static func start(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let argument = unsafe Unmanaged.passRetained(Start(body)).toOpaque()
        let code = unsafe pthread_create(&thread, nil, run, argument)
        precondition(code == 0, "pthread_create failed with error \(code)")
        pthread_detach(thread)
    }
}

/// A file descriptor that is closed with its last reference.
final class Descriptor: Sendable {
    let number: CInt

    init(_ number: CInt) { self.number = number }

    deinit { if number >= 0 { close(number) } }
}
