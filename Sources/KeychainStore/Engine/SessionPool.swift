// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainModel

/// The read sessions of an open store, one for each concurrent reader.
@safe
final class SessionPool: Sendable {
    nonisolated(unsafe) private let slots: UnsafeMutableBufferPointer<Exclusive<ReadSession?>>
    /// The session with which the store was opened; `nil` once it is used for reading or changes.
    private let first: Exclusive<ReadSession?>

    /// The maximum number of slots; if fewer than eight processors are available, there are two slots for each.
    ///
    /// Concurrent readers wait while all slots are in use.
    private static let limit = 16

    init(_ first: ReadSession) {
        let processors = Int(clinux_processors())
        unsafe slots = .allocate(capacity: min(max(2 * processors, 2), Self.limit))
        for index in unsafe slots.indices { unsafe slots.initializeElement(at: index, to: Exclusive(nil)) }
        self.first = Exclusive(first)
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
            let opened = if let session { session } else { try open(store) }
            session = opened
            return try body(opened)
        }
    }

    /// Returns the session with which the store was opened, or a new session if that one was returned before.
    func open(_ store: StoreContext) throws(StatusError) -> ReadSession {
        var unused: ReadSession?
        first.withLock { first in swap(&first, &unused) }
        return if let unused { unused } else { try ReadSession(of: store) }
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
            if let session { return try body(session) }
            guard let store else { return nil }
            let opened = try open(store)
            session = opened
            return try body(opened)
        }
        return attempt ?? nil
    }

    /// Calls the closure with every open session, one after the other.
    func forEach(_ body: (ReadSession) -> Void) {
        for index in unsafe slots.indices {
            unsafe slots[index].withLock { session in if let session { body(session) } }
        }
    }
}
