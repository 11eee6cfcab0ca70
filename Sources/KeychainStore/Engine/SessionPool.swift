// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainModel

/// The read sessions of an open store: as many as there are threads that read at the same time.
final class SessionPool: Sendable {
    private let slots: [Exclusive<ReadSession?>]

    /// More threads than these take turns.
    private static let limit = 16

    init(_ first: ReadSession) {
        let processors = sysconf(CInt(_SC_NPROCESSORS_ONLN))
        let count = min(max(2 * processors, 2), Self.limit)
        let own = Self.threadNumber % count
        slots = (0..<count).map { Exclusive($0 == own ? first : nil) }
    }

    private static var threadNumber: Int { Int(clinux_thread_number()) }

    /// Runs the closure with a session that no other thread uses meanwhile.
    ///
    /// It is the one that this thread used last, else an idle one, else a new one.
    func withSession<Result: Sendable>(
        of store: StoreContext,
        _ body: (ReadSession) throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        let own = slots[Self.threadNumber % slots.count]
        if let result = try use(own, body) { return result }
        for slot in slots where slot !== own {
            if let result = try use(slot, body) { return result }
        }
        return try own.withLock { session throws(StatusError) in
            let opened = if let session { session } else { try ReadSession(of: store) }
            session = opened
            return try body(opened)
        }
    }

    /// Runs the closure with the session of a slot; `nil` if it has none or is in use.
    private func use<Result: Sendable>(
        _ slot: Exclusive<ReadSession?>,
        _ body: (ReadSession) throws(StatusError) -> Result
    ) throws(StatusError) -> Result? {
        let attempt: Result?? = try slot.withLockIfAvailable { session throws(StatusError) in
            if let session { try body(session) } else { nil }
        }
        return attempt ?? nil
    }

    /// Takes a session that has not read anything yet out of the pool; `nil` if there is none.
    func takeUnused() -> ReadSession? {
        var taken: ReadSession?
        for slot in slots where taken == nil {
            slot.withLockIfAvailable { session in
                guard session?.isUnused == true else { return }
                (taken, session) = (session, nil)
            }
        }
        return taken
    }

    /// Runs the closure with every open session, one after the other.
    func forEach(_ body: (ReadSession) -> Void) {
        for slot in slots { slot.withLock { session in if let session { body(session) } } }
    }
}
