// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore
import Synchronization

/// Encrypts the rows of one store under new class keys, in a thread of its own.
///
/// It works in batches, between which other calls read and change items. If the daemon ends, a rotation continues when
/// the daemon starts again or, if the keychain is locked, after the next unlock.
final class KeyRotation: Sendable {
    private struct State {
        var status = RotationStatus()
        var isStopping = false
    }

    private let state = Mutex(State())

    var status: RotationStatus { state.withLock(\.status) }

    /// Starts the thread, unless it runs.
    func start(_ store: UserStore) {
        let starts = state.withLock { state in
            guard !state.status.isRunning, !state.isStopping else { return false }
            state.status = RotationStatus()
            state.status.isRunning = true
            return true
        }
        if starts { DaemonThread.start { self.run(store) } }
    }

    /// Ends the thread after its current batch, and prevents another start.
    func stop() { state.withLock { $0.isStopping = true } }

    private func run(_ store: UserStore) {
        var (summary, failure) = (RotationSummary(), nil as StatusError?)
        do throws(StatusError) {
            summary = try store.use { keychain throws(StatusError) in
                try keychain.resumeKeyRotation { completed, total in
                    // An idle store would be closed, which discards keys that only this process has.
                    store.noteUse()
                    return self.note(completed, total)
                }
            }
        } catch {
            failure = error
        }
        state.withLock { state in
            state.status.isRunning = false
            state.status.summary = summary
            state.status.failure = failure
        }
    }

    /// Records the progress; returns whether to continue.
    private func note(_ completed: Int, _ total: Int) -> Bool {
        state.withLock { state in
            (state.status.completed, state.status.total) = (completed, total)
            return !state.isStopping
        }
    }
}
