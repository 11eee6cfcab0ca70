// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// Processes that wait to write, some of which are killed or stopped.
@Suite struct WriterQueueTests {
    private struct Queue {
        let store: URL
        var children: [ChildProcess] = []

        var lockPath: String { store.path + "/writer.lock" }

        /// Makes each program wait for the writer lock, one after another.
        func fill() throws {
            for (number, child) in children.enumerated() {
                try child.send("add canary-\(number) canary")
                try LockQueue.wait(for: number + 1, of: lockPath)
            }
        }
    }

    /// Calls `body` with programs that have the store open, while the test holds the writer lock.
    private func withQueue(of count: Int, _ body: (Queue, _ lock: CInt) throws -> Void) throws {
        try TestTool.withDirectory { directory in
            var queue = Queue(store: directory.appending(component: "store"))
            defer { for child in queue.children { child.end() } }
            for _ in 0..<count { queue.children.append(try TestTool.start(over: queue.store)) }
            #expect(try queue.children[0].ask("add canary canary") == "0")
            for child in queue.children { #expect(try child.ask("count") == "1") }
            let lock = open(queue.lockPath, O_RDWR | O_CLOEXEC)
            defer { close(lock) }
            try #require(flock(lock, LOCK_EX) == 0)
            try body(queue, lock)
        }
    }

    @Test(arguments: [[0], [2], [4], [0, 1, 2, 3], [1, 3]])
    func `killing waiting writers does not block the others`(killed: [Int]) throws {
        try withQueue(of: 5) { queue, lock in
            try queue.fill()
            for number in killed { #expect(queue.children[number].end() == .killed(SIGKILL)) }
            flock(lock, LOCK_UN)
            for (number, child) in queue.children.enumerated() where !killed.contains(number) {
                #expect(try child.readLine() == "0")
            }
        }
    }

    @Test(arguments: [0, 2])
    func `stopping a waiting writer does not block the others`(number: Int) throws {
        try withQueue(of: 5) { queue, lock in
            try queue.fill()
            let stopped = queue.children[number]
            #expect(kill(stopped.process, SIGSTOP) == 0)
            // The kernel removes a stopped process from the queue, so four of five still wait.
            try LockQueue.wait(for: 4, of: queue.lockPath)
            flock(lock, LOCK_UN)
            for child in queue.children where child.process != stopped.process {
                #expect(try child.readLine() == "0")
            }
            // While one process is stopped, the others can continue to write.
            #expect(try queue.children[4].ask("add canary-again canary") == "0")
            #expect(kill(stopped.process, SIGCONT) == 0)
            #expect(try stopped.readLine() == "0")
        }
    }

    @Test func `killing the writer that holds the lock does not block the others`() throws {
        try withQueue(of: 3) { queue, lock in
            let path = queue.lockPath
            flock(lock, LOCK_UN)
            let holder = try ChildProcess(
                "/usr/bin/env",
                ["sh", "-c", "exec 9<>\"$1\"; flock 9; echo held; read -r line", "sh", path],
                environment: ["PATH": "/usr/bin:/bin"]
            )
            defer { holder.end() }
            #expect(try holder.readLine() == "held")
            try queue.fill()
            #expect(holder.end() == .killed(SIGKILL))
            for child in queue.children { #expect(try child.readLine() == "0") }
        }
    }

    @Test func `64 processes that write at the same time all succeed`() throws {
        try withQueue(of: 64) { queue, lock in
            for (number, child) in queue.children.enumerated() { try child.send("fill canary-\(number) 3") }
            flock(lock, LOCK_UN)
            for child in queue.children {
                child.finishInput()
                #expect(try child.readLines().count { $0.hasPrefix("added ") } == 3)
            }
        }
    }
}
