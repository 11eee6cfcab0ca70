// SPDX-License-Identifier: Apache-2.0

import Glibc
package import KeychainModel
package import KeychainStore

/// A test's keychain, which is reopened at the same location after its store was deleted.
package final class ReopenableKeychain: Sendable {
    private struct State: Sendable {
        var keychain: EmbeddedKeychain
        /// Whether this process has deleted the store.
        ///
        /// Open connections to the store would not detect the deletion immediately.
        var isDeleted = false
        var isClosed = false
    }

    private let state: ForkSafeMutex<State>

    /// Opens the store, or creates it if the location allows that.
    package init(at location: StoreLocation) throws(StatusError) {
        state = ForkSafeMutex(State(keychain: try EmbeddedKeychain(at: location)))
    }

    /// The open keychain, even if its store was deleted.
    package var current: EmbeddedKeychain { state.withLock { $0.keychain } }

    /// Calls `body` with the keychain; if the store was deleted, reopens it and calls `body` again.
    package func use<Result>(
        _ body: (EmbeddedKeychain) throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        let keychain = try opened()
        do throws(StatusError) {
            return try body(keychain)
        } catch {
            guard error.reason == .databaseReplaced else { throw error }
            return try body(opened(inPlaceOf: keychain, or: error))
        }
    }

    /// Makes the next call reopen the store.
    package func discardStore() { state.withLock { $0.isDeleted = true } }

    /// Prevents the store from being reopened.
    package func close() { state.withLock { $0.isClosed = true } }

    private func opened() throws(StatusError) -> EmbeddedKeychain {
        try state.withLock { state throws(StatusError) in
            if state.isDeleted {
                try Self.reopen(&state, or: StatusError(.notAvailable, .databaseReplaced))
            }
            return state.keychain
        }
    }

    private func opened(
        inPlaceOf old: EmbeddedKeychain,
        or error: StatusError
    ) throws(StatusError) -> EmbeddedKeychain {
        try state.withLock { state throws(StatusError) in
            // Another thread may have reopened the keychain already.
            if state.keychain === old { try Self.reopen(&state, or: error) }
            return state.keychain
        }
    }

    private static func reopen(_ state: inout State, or error: StatusError) throws(StatusError) {
        let location = state.keychain.location
        // Deleting a keychain keeps its directory. A missing directory means that the test has ended, and
        // nothing may be created.
        guard !state.isClosed, unsafe access(location.directory, F_OK) == 0 else { throw error }
        state.keychain = try EmbeddedKeychain(at: location)
        state.isDeleted = false
    }
}
