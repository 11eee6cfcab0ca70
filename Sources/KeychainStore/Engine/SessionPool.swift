// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainModel

/// The read sessions of an open store, one for each concurrent reader.
final class SessionPool: Sendable {
    private let slots: [Exclusive<ReadSession?>]
    /// The session opened with the store, until a thread needs it.
    private let first: Exclusive<ReadSession?>

    /// The maximum number of concurrent readers; further threads wait.
    private static let limit = 16

    init(_ first: ReadSession) {
        let processors = Int(clinux_processors())
        slots = (0..<min(max(2 * processors, 2), Self.limit)).map { _ in Exclusive(nil) }
        self.first = Exclusive(first)
    }

    /// Runs the closure with a session that no other thread is using.
    ///
    /// It prefers the one that this thread used last, then an idle one, then a new one.
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

    /// The session opened with the store if it is unused, otherwise a new one.
    func open(_ store: StoreContext) throws(StatusError) -> ReadSession {
        var unused: ReadSession?
        first.withLock { first in swap(&first, &unused) }
        return if let unused { unused } else { try ReadSession(of: store) }
    }

    /// Runs the closure with the session of a slot; `nil` if there is none or it is in use.
    private func use<Result: Sendable>(
        _ slot: Exclusive<ReadSession?>,
        _ body: (ReadSession) throws(StatusError) -> Result
    ) throws(StatusError) -> Result? {
        let attempt: Result?? = try slot.withLockIfAvailable { session throws(StatusError) in
            if let session { try body(session) } else { nil }
        }
        return attempt ?? nil
    }

    /// Runs the closure with every open session, one after the other.
    func forEach(_ body: (ReadSession) -> Void) {
        for slot in slots { slot.withLock { session in if let session { body(session) } } }
    }
}
