// SPDX-License-Identifier: Apache-2.0

/// A value that, together with everything it references, only one thread uses at a time.
///
/// This is a structure, because creating the first object of a generic class takes Swift's runtime 20,000 instructions.
@safe
struct Exclusive<Value>: ~Copyable, Sendable {
    private let lock = ForkSafeMutex(())
    nonisolated(unsafe) private let value: UnsafeMutablePointer<Value>

    init(_ value: Value) {
        unsafe self.value = .allocate(capacity: 1)
        unsafe self.value.initialize(to: value)
    }

    deinit {
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
    }

    borrowing func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.withLock { _ throws(Failure) in try unsafe body(&value.pointee) }
    }

    /// Calls the closure with the value; returns `nil` if another thread is using it.
    borrowing func withLockIfAvailable<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        try lock.withLockIfAvailable { _ throws(Failure) in try unsafe body(&value.pointee) }
    }
}
