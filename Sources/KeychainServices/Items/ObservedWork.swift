// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import Synchronization

/// Runs work on another thread while the calling thread observes its progress.
///
/// The observer may make a keychain call that blocks until the work has ended, because the work does not wait
/// for the observer.
package final class ObservedWork<Failure: Error>: Sendable {
    private struct State {
        var count = 0
        /// Whether the observing thread was woken and has not read the state since then.
        var isAnnounced = false
        var result: Result<Void, Failure>?
    }

    private let state = Mutex(State())
    private let news = DispatchSemaphore(value: 0)

    /// Runs the work on another thread and passes the counts that it reports to the observer.
    ///
    /// If several counts are reported while the observer is busy, it receives only the last of them.
    ///
    /// - Throws: Errors of the work, after the observer has seen the last count.
    package static func run(
        _ observer: (Int) -> Void,
        _ work: @escaping @Sendable (_ report: @Sendable (Int) -> Void) throws(Failure) -> Void
    ) throws(Failure) {
        let observed = ObservedWork()
        SystemKeychain.detach {
            let result: Result<Void, Failure>
            do throws(Failure) {
                try work { count in observed.announce { $0.count = count } }
                result = .success(())
            } catch {
                result = .failure(error)
            }
            observed.announce { $0.result = result }
        }
        try observed.observe(observer)
    }

    private func announce(_ change: (inout State) -> Void) {
        let isNew = state.withLock { state in
            change(&state)
            defer { state.isAnnounced = true }
            return !state.isAnnounced
        }
        if isNew { news.signal() }
    }

    private func observe(_ observer: (Int) -> Void) throws(Failure) {
        var seen = 0
        while true {
            news.wait()
            let (count, result) = state.withLock { state in
                state.isAnnounced = false
                return (state.count, state.result)
            }
            if count != seen {
                seen = count
                observer(count)
            }
            if let result { return try result.get() }
        }
    }
}
