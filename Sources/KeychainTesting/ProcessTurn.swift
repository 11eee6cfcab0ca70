// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The right to have the calls of the whole process: one test after the other has it.
struct ProcessTurn {
    private struct Queue {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private static let queue = Mutex(Queue())

    /// Waits until no other test has the turn, without keeping a thread from others.
    ///
    /// - Returns: the turn; `nil` for a part of the test that has it.
    static func take() async -> Self? {
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

    /// Takes the turn unless another test has it: a thread that waited here could be one that the other needs.
    ///
    /// - Returns: the turn; `nil` for a part of the test that has it.
    static func takeIfFree() throws(TemporaryKeychainError) -> Self? {
        if Scope.taskHasProcess { return nil }
        let isFree = queue.withLock { queue in
            defer { queue.isTaken = true }
            return !queue.isTaken
        }
        guard isFree else { throw .processTaken }
        return Self()
    }

    /// Ends the turn; the test that has waited longest is next.
    func giveBack() {
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
