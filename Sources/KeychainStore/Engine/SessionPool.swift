// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainModel

/// The read sessions of an open store, one for each concurrent reader.
final class SessionPool: Sendable {
    private let slots: [Exclusive<ReadSession?>]
    /// The session with which the store was opened; `nil` once a slot has taken it.
    private let first: Exclusive<ReadSession?>

    /// The maximum number of sessions in slots; further concurrent readers wait.
    private static let limit = 16

    init(_ first: ReadSession) {
        let processors = Int(clinux_processors())
        slots = (0..<min(max(2 * processors, 2), Self.limit)).map { _ in Exclusive(nil) }
        self.first = Exclusive(first)
    }

    /// Calls the closure with a session that no other thread is using.
    ///
    /// It prefers the session in this thread's slot, then an idle session of another slot. Otherwise it opens
    /// a session in this thread's slot, waiting for the slot if it is in use.
    func withSession<Result: Sendable>(
        of store: StoreContext,
        _ body: (ReadSession) throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        let own = slots[Int(clinux_thread_number()) % slots.count]
        if let result = try use(own, body) { return result }
        for slot in slots where slot !== own {
            if let result = try use(slot, body) { return result }
        }
        return try own.withLock { session throws(StatusError) in
            let opened = if let session { session } else { try open(store) }
            session = opened
            return try body(opened)
        }
    }

    /// Returns the session with which the store was opened if no slot has it, otherwise a new one.
    func open(_ store: StoreContext) throws(StatusError) -> ReadSession {
        var unused: ReadSession?
        first.withLock { first in swap(&first, &unused) }
        return if let unused { unused } else { try ReadSession(of: store) }
    }

    /// Calls the closure with the session of a slot; returns `nil` if the slot is empty or in use.
    private func use<Result: Sendable>(
        _ slot: Exclusive<ReadSession?>,
        _ body: (ReadSession) throws(StatusError) -> Result
    ) throws(StatusError) -> Result? {
        let attempt: Result?? = try slot.withLockIfAvailable { session throws(StatusError) in
            if let session { try body(session) } else { nil }
        }
        return attempt ?? nil
    }

    /// Calls the closure with every open session, one after the other.
    func forEach(_ body: (ReadSession) -> Void) {
        for slot in slots { slot.withLock { session in if let session { body(session) } } }
    }
}
