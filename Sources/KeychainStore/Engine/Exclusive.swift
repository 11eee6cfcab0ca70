// SPDX-License-Identifier: Apache-2.0

/// A value that one thread uses at a time, whatever it refers to.
final class Exclusive<Value>: Sendable {
    private let lock = ForkSafeMutex(())
    /// Guarded by the lock.
    nonisolated(unsafe) private var value: Value

    init(_ value: Value) { unsafe self.value = value }

    /// Runs the closure with the value; waits for other threads.
    func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.withLock { _ throws(Failure) in try unsafe body(&value) }
    }

    /// Runs the closure with the value; `nil` if another thread uses it.
    func withLockIfAvailable<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        try lock.withLockIfAvailable { _ throws(Failure) in try unsafe body(&value) }
    }
}
