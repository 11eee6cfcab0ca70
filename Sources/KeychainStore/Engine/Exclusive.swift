// SPDX-License-Identifier: Apache-2.0

/// A value that one thread uses at a time, including everything it references.
final class Exclusive<Value>: Sendable {
    private let lock = ForkSafeMutex(())
    /// Protected by the lock.
    nonisolated(unsafe) private var value: Value

    init(_ value: Value) { unsafe self.value = value }

    /// Runs the closure with the value, waiting for other threads.
    func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.withLock { _ throws(Failure) in try unsafe body(&value) }
    }

    /// Runs the closure with the value; `nil` if another thread is using it.
    func withLockIfAvailable<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        try lock.withLockIfAvailable { _ throws(Failure) in try unsafe body(&value) }
    }
}
