// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WatchedMutex

/// A counter that threads change, with or without a lock.
private final class Counter: @unchecked Sendable {
    private let turn = Mutex(())
    private var count = 0

    func change(inTurn: Bool) {
        if inTurn { turn.withLock { _ in count += 1 } } else { count += 1 }
    }
}

/// Increments with and without a lock; Scripts/check-threads expects the sanitizer to report only the data race.
@Suite struct RaceTests {
    private func change(inTurn: Bool) {
        let counter = Counter()
        let threads = (0..<2).map { _ in
            Thread { for _ in 0..<1_000 { counter.change(inTurn: inTurn) } }
        }
        for thread in threads { thread.start() }
        while threads.contains(where: { !$0.isFinished }) { Thread.sleep(forTimeInterval: 0.001) }
    }

    @Test func `threads that take turns`() { change(inTurn: true) }

    @Test func `threads that race`() { change(inTurn: false) }
}
