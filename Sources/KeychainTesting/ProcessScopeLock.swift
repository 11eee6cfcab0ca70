// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The lock that a test holds while its keychain applies to the whole process.
struct ProcessScopeLock {
    private struct Queue {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private static let queue = Mutex(Queue())

    /// Waits until no other test holds the lock, without blocking a thread.
    ///
    /// - Returns: The lock; `nil` within a test that already holds it.
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

    /// Acquires the lock, or throws if another test holds it.
    ///
    /// Waiting here could block the thread on which the other test must continue.
    ///
    /// - Returns: The lock; `nil` within a test that already holds it.
    static func tryAcquire() throws(TemporaryKeychainError) -> Self? {
        if Scope.taskHasProcess { return nil }
        let isFree = queue.withLock { queue in
            defer { queue.isTaken = true }
            return !queue.isTaken
        }
        guard isFree else { throw .processTaken }
        return Self()
    }

    /// Passes the lock to the test that has waited longest; frees it if no test waits.
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
