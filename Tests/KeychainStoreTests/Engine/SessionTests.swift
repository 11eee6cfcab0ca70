// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import KeychainModel
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainStore

/// The sessions of one process: database connections, each with a cache of search results.
///
/// A reader does not wait for a writer, nor a writer for a reader; a lock empties all caches.
@Suite(.searchedKeychain) struct SessionTests {
    private let calls: Calls

    init() throws {
        calls = try Calls()
        try calls.add([.account: "canary"], SecretBuffer("1".utf8))
    }

    private func values() throws -> [String] {
        try calls.find(.generic()).compactMap(\.secret).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    /// Keeps a thread inside a call until ``end()``.
    private final class Occupation: Sendable {
        private let isInside = DispatchSemaphore(value: 0)
        private let isReleased = DispatchSemaphore(value: 0)
        private let isOver = DispatchSemaphore(value: 0)
        private let wasReleased = Mutex(false)

        /// Calls `occupy` in a new thread; the closure calls `wait` from inside the call.
        init(_ occupy: @escaping @Sendable (_ wait: () -> Void) throws -> Void) {
            Thread { [self] in
                do { try occupy(wait) } catch { Issue.record(error) }
                isOver.signal()
            }.start()
            isInside.wait()
        }

        private func wait() {
            isInside.signal()
            // If the test waited for this call, it would never call `end`. After a minute, this call gives up, so that
            // the test fails.
            let isInTime = isReleased.wait(timeout: .now() + 60) == .success
            wasReleased.withLock { $0 = isInTime }
        }

        /// Ends the call, and returns whether it was still in progress; `false` if it gave up after a minute.
        func end() -> Bool {
            isReleased.signal()
            isOver.wait()
            return wasReleased.withLock { $0 }
        }
    }

    @Test func `a reader does not wait for a change of another thread`() throws {
        let keychain = calls.keychain
        let change = Occupation { wait in
            try keychain.write { session throws(StatusError) in
                try session.change { () throws(StatusError) in wait() }
            }
        }
        #expect(try values() == ["1"])
        #expect(change.end())
        // A reader whose session is not that of the writer sees the new value.
        try calls.update(.generic(), secret: SecretBuffer("2".utf8))
        #expect(try values() == ["2"])
    }

    @Test func `neither a change nor a lock waits for a reader of another thread`() throws {
        let keychain = calls.keychain
        try keychain.setPasscode(SecretBytes("canary code"), cost: LockedStore.cost)
        let read = Occupation { wait in
            try keychain.read { session throws(StatusError) in
                try session.rows.read { () throws(StatusError) in wait() }
            }
        }
        try calls.update(.generic(), secret: SecretBuffer("2".utf8))
        try keychain.lock()
        try keychain.unlock(with: SecretBytes("canary code"))
        try calls.update(.generic(), secret: SecretBuffer("3".utf8))
        #expect(read.end())
        #expect(try values() == ["3"])
    }

    /// Whether the caches of two sessions are empty.
    private func areEmpty() throws -> [Bool] {
        try calls.keychain.read { first throws(StatusError) in
            // While the first session is in use, the second is another one.
            try calls.keychain.read { second throws(StatusError) in
                [first.cache.isEmpty, second.cache.isEmpty]
            }
        }
    }

    private func fillCaches() throws {
        for _ in 0..<3 { _ = try values() }
        try calls.keychain.read { _ throws(StatusError) in
            for _ in 0..<3 { _ = try calls.find(.generic()) }
        }
    }

    enum Locker: CaseIterable {
        case ownProcess, otherConnection
    }

    @Test(arguments: Locker.allCases)
    func `a lock empties the caches of all sessions`(locker: Locker) throws {
        try calls.keychain.setPasscode(SecretBytes("canary code"), cost: LockedStore.cost)
        try fillCaches()
        #expect(try areEmpty() == [false, false])
        switch locker {
        case .ownProcess: try calls.keychain.lock()
        case .otherConnection:
            try calls.reopened().keychain.lock()
            // Any call notices the lock.
            _ = try calls.status()
        }
        #expect(try areEmpty() == [true, true])
    }

    @Test func `a lock empties the cache of a session in use when its call ends`() throws {
        try calls.keychain.setPasscode(SecretBytes("canary code"), cost: LockedStore.cost)
        try fillCaches()
        let keychain = calls.keychain
        let read = Occupation { wait in try keychain.read { _ throws(StatusError) in wait() } }
        try keychain.lock()
        #expect(read.end())
        #expect(try areEmpty() == [true, true])
    }
}
