// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainStore

/// Locks that each have their own open file description, so that threads wait for each other like processes.
@Suite struct FileLockTests {
    private let path: String
    private let directory: TemporaryPath

    init() throws {
        directory = try TemporaryPath().makeDirectory()
        path = directory.path + "/lock"
        close(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600))
    }

    private func makeLock() -> FileLock {
        FileLock(FileDescriptor(open(path, O_RDWR | O_CLOEXEC)), .writerLock)
    }

    private func refusal(of lock: borrowing FileLock) -> StatusError? {
        do throws(StatusError) {
            try lock.acquire(deadline: 10)
            return nil
        } catch {
            return error
        }
    }

    /// Starts a thread that waits for the lock and calls `body` with `nil` while it holds the lock.
    ///
    /// If the thread does not get the lock, `body` receives the error.
    private func queue(_ group: DispatchGroup, _ body: @escaping @Sendable (StatusError?) -> Void) {
        let path = path
        group.enter()
        Thread.detachNewThread {
            let lock = FileLock(FileDescriptor(open(path, O_RDWR | O_CLOEXEC)), .writerLock)
            do throws(StatusError) {
                try lock.acquire(deadline: 60_000)
                body(nil)
                lock.release()
            } catch {
                body(error)
            }
            group.leave()
        }
    }

    @Test func `the lock is granted in the order of the requests`() throws {
        let holder = makeLock()
        try holder.acquire(deadline: 1_000)
        let group = DispatchGroup()
        let order = Mutex<[Int]>([])
        for number in 0..<8 {
            queue(group) { _ in order.withLock { $0.append(number) } }
            try LockQueue.wait(for: number + 1, of: path)
        }
        holder.release()
        #expect(group.wait(timeout: .now() + 60) == .success)
        #expect(order.withLock { $0 } == Array(0..<8))
    }

    @Test func `64 contenders all get the lock, one at a time`() throws {
        let group = DispatchGroup()
        let users = Atomic(0)
        let served = Atomic(0)
        for _ in 0..<64 {
            queue(group) { error in
                let others = users.add(1, ordering: .relaxed).oldValue
                if error == nil, others == 0 { served.add(1, ordering: .relaxed) }
                users.subtract(1, ordering: .relaxed)
            }
        }
        #expect(group.wait(timeout: .now() + 60) == .success)
        #expect(served.load(ordering: .relaxed) == 64)
    }

    @Test func `a request that timed out releases the lock when it is granted`() throws {
        let holder = makeLock()
        let lock = makeLock()
        let next = makeLock()
        try holder.acquire(deadline: 1_000)
        let refusal = refusal(of: lock)
        #expect(refusal == StatusError(.notAvailable, .writerBusy, file: .writerLock))
        holder.release()
        try next.acquire(deadline: 60_000)
        next.release()
        try lock.acquire(deadline: 60_000)
        let isFree = next.acquireIfFree()
        #expect(!isFree)
        lock.release()
        let isFreeAgain = next.acquireIfFree()
        #expect(isFreeAgain)
    }

    @Test func `the next request reuses one that timed out`() throws {
        let holder = makeLock()
        let lock = makeLock()
        try holder.acquire(deadline: 1_000)
        for _ in 0..<3 {
            let refusal = refusal(of: lock)
            #expect(refusal?.reason == .writerBusy)
            try LockQueue.wait(for: 1, of: path)
        }
        let isFree = lock.acquireIfFree()
        #expect(!isFree)
        holder.release()
        try lock.acquire(deadline: 60_000)
        let isFreeAgain = holder.acquireIfFree()
        #expect(!isFreeAgain)
    }

    @Test func `no request times out while the queue progresses`() throws {
        let holder = makeLock()
        let lock = makeLock()
        try holder.acquire(deadline: 1_000)
        var looks: UInt64 = 0
        try lock.acquire(deadline: 1) { _ in
            looks += 1
            if looks == 20 { holder.release() }
            return looks
        }
        #expect(looks >= 20)
    }

    @Test func `destroying a lock with a queued request leaves nothing behind`() throws {
        let holder = makeLock()
        try holder.acquire(deadline: 1_000)
        do {
            let lock = makeLock()
            let refusal = refusal(of: lock)
            #expect(refusal?.reason == .writerBusy)
        }
        holder.release()
        try LockQueue.wait(for: 0, of: path)
        try makeLock().acquire(deadline: 60_000)
    }
}
