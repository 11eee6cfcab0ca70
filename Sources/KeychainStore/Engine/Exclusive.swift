// SPDX-License-Identifier: Apache-2.0

/// A value that, together with everything it references, only one thread uses at a time.
@safe
final class Exclusive<Value>: Sendable {
    private let lock = ForkSafeMutex(())
    /// The value, protected by the lock.
    ///
    /// It is in manually allocated memory, because Swift checks accesses to a class's property at run time.
    nonisolated(unsafe) private let value: UnsafeMutablePointer<Value>

    init(_ value: Value) {
        unsafe self.value = .allocate(capacity: 1)
        unsafe self.value.initialize(to: value)
    }

    deinit {
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
    }

    /// Calls the closure with the value, after waiting for other threads.
    func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.withLock { _ throws(Failure) in try unsafe body(&value.pointee) }
    }

    /// Calls the closure with the value; returns `nil` if another thread is using it.
    func withLockIfAvailable<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        try lock.withLockIfAvailable { _ throws(Failure) in try unsafe body(&value.pointee) }
    }
}
