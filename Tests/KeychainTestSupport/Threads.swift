// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Calls a closure on several new threads, each with its number, and waits for all of them.
///
/// `DispatchQueue.concurrentPerform` runs at most one thread for each processor.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let running = DispatchGroup()
    for number in 0..<count {
        running.enter()
        Thread.detachNewThread {
            body(number)
            running.leave()
        }
    }
    running.wait()
}
