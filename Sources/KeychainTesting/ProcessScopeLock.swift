// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The right to provide the keychain of the whole process, held by one test at a time.
struct ProcessScopeLock {
    private struct Queue {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private static let queue = Mutex(Queue())

    /// Waits until no other test has the right, without blocking a thread.
    ///
    /// - Returns: The right; `nil` within a test that has it already.
    static func acquire() async -> Self? {
        if Scope.taskHasProcess { return nil }
        await withCheckedContinuation { continuation in
            let isFree = queue.withLock { queue in
                if queue.isTaken { queue.waiting.append(continuation) }
                defer { queue.isTaken = true }
                return !queue.isTaken
            }
            if isFree { continuation.resume() }
        }
        return Self()
    }

    /// Acquires the right, or throws if another test has it.
    ///
    /// Blocking here could block the thread that the other test needs.
    ///
    /// - Returns: The right; `nil` within a test that has it already.
    static func tryAcquire() throws(TemporaryKeychainError) -> Self? {
        if Scope.taskHasProcess { return nil }
        let isFree = queue.withLock { queue in
            defer { queue.isTaken = true }
            return !queue.isTaken
        }
        guard isFree else { throw .processTaken }
        return Self()
    }

    /// Passes the right to the test that has waited longest.
    func release() {
        let next = Self.queue.withLock { queue -> CheckedContinuation<Void, Never>? in
            guard !queue.waiting.isEmpty else {
                queue.isTaken = false
                return nil
            }
            return queue.waiting.removeFirst()
        }
        next?.resume()
    }
}
