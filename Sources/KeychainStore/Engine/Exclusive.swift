// SPDX-License-Identifier: Apache-2.0

/// A value that only one thread uses at a time, with everything it references.
final class Exclusive<Value>: Sendable {
    private let lock = ForkSafeMutex(())
    /// Protected by the lock.
    nonisolated(unsafe) private var value: Value

    init(_ value: Value) { unsafe self.value = value }

    /// Calls the closure with the value, after waiting for other threads.
    func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.withLock { _ throws(Failure) in try unsafe body(&value) }
    }

    /// Calls the closure with the value; returns `nil` if another thread is using it.
    func withLockIfAvailable<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        try lock.withLockIfAvailable { _ throws(Failure) in try unsafe body(&value) }
    }
}
