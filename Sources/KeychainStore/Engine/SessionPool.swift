// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainModel

/// The sessions of an open store, one for each concurrent reader, and at most one more for changes.
///
/// A change takes the session of the first slot and returns it afterwards: the session then reads what it has written
/// from SQLite's page cache, and need not authenticate the header again. A session of another connection would have
/// to do both. If a reader needs the first slot during a change, all later changes use a session of their own, so
/// that readers and changes never wait for each other.
@safe
final class SessionPool: Sendable {
    nonisolated(unsafe) private let slots: UnsafeMutableBufferPointer<Exclusive<ReadSession?>>
    /// The session that only changes of the store use; `nil` while changes use the session of the first slot.
    private let writer = Exclusive<ReadSession?>(nil)

    /// The maximum number of slots; if fewer than eight processors are available, there are two slots for each.
    ///
    /// Concurrent readers wait while all slots are in use.
    private static let limit = 16

    init(_ first: ReadSession) {
        let processors = Int(clinux_processors())
        unsafe slots = .allocate(capacity: min(max(2 * processors, 2), Self.limit))
        for index in unsafe slots.indices {
            unsafe slots.initializeElement(at: index, to: Exclusive(index == 0 ? first : nil))
        }
    }

    deinit {
        unsafe slots.deinitialize()
        unsafe slots.deallocate()
    }

    /// Calls the closure with a session that no other thread is using.
    ///
    /// It prefers the session that this thread used last, whose memory is in the processor's caches, then
    /// another idle session. Otherwise it opens a session in a free slot or, if all slots are in use, waits.
    func withSession<Result: Sendable>(
        of store: StoreContext,
        _ body: (ReadSession) throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        let replacements = store.keySessions.replacementCount
        defer { emptyIdleCaches(of: store, since: replacements) }
        let last = unsafe clinux_thread_slot()
        let first = unsafe Int(last.pointee)
        for opens in [false, true] {
            for offset in unsafe 0..<slots.count {
                let number = unsafe (first + offset) % slots.count
                if let result = try unsafe use(slots[number], opening: opens ? store : nil, body) {
                    if offset > 0 { unsafe last.pointee = UInt32(number) }
                    return result
                }
            }
        }
        return try unsafe slots[first % slots.count].withLock { session throws(StatusError) in
            let opened = if let session { session } else { try ReadSession(of: store) }
            session = opened
            return try use(opened, body)
        }
    }

    /// Calls the closure with a session that can change the store, after waiting for other threads that change it.
    func withWriter<Result: Sendable>(
        of store: StoreContext,
        _ body: (WriteSession) throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        let replacements = store.keySessions.replacementCount
        defer { emptyIdleCaches(of: store, since: replacements) }
        return try writer.withLock { own throws(StatusError) in
            let session = if let session = own ?? takeFirst() { session } else { try ReadSession(of: store) }
            defer { if own == nil, !returnFirst(session) { own = session } }
            return try use(session) { session throws(StatusError) in try body(WriteSession(session)) }
        }
    }

    /// Removes the session of the first slot; returns `nil` if the slot is empty or in use.
    private func takeFirst() -> ReadSession? {
        var session: ReadSession?
        unsafe slots[0].withLockIfAvailable { first in swap(&first, &session) }
        return session
    }

    /// Puts a session into the first slot; returns false if the slot is in use or contains another session.
    private func returnFirst(_ session: ReadSession) -> Bool {
        let isReturned = unsafe slots[0].withLockIfAvailable { first in
            guard first == nil else { return false }
            first = session
            return true
        }
        return isReturned ?? false
    }

    /// Calls the closure with the session of a slot; returns `nil` if another thread uses the slot.
    ///
    /// For an empty slot, it opens a session of `store`, or returns `nil` if `store` is `nil`.
    private func use<Result: Sendable>(
        _ slot: borrowing Exclusive<ReadSession?>,
        opening store: StoreContext?,
        _ body: (ReadSession) throws(StatusError) -> Result
    ) throws(StatusError) -> Result? {
        let attempt: Result?? = try slot.withLockIfAvailable { session throws(StatusError) in
            if let session { return try use(session, body) }
            guard let store else { return nil }
            let opened = try ReadSession(of: store)
            session = opened
            return try use(opened, body)
        }
        return attempt ?? nil
    }

    /// Calls the closure with a session; then empties its search cache if keys were replaced, as by a lock.
    private func use<Result>(
        _ session: ReadSession,
        _ body: (ReadSession) throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        defer { session.emptyCacheIfKeysReplaced() }
        return try body(session)
    }

    /// Empties the search caches of all idle sessions if keys were replaced during a call, as by a lock.
    ///
    /// A session in use is skipped: the thread that uses it empties its cache at the end.
    private func emptyIdleCaches(of store: StoreContext, since replacements: Int) {
        guard store.keySessions.replacementCount != replacements else { return }
        _ = writer.withLockIfAvailable { $0?.emptyCacheIfKeysReplaced() }
        for index in unsafe slots.indices {
            _ = unsafe slots[index].withLockIfAvailable { $0?.emptyCacheIfKeysReplaced() }
        }
    }
}
