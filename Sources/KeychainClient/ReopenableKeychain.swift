// SPDX-License-Identifier: Apache-2.0

import Glibc
package import KeychainModel
package import KeychainStore

/// A keychain that is opened anew, at the same place, once its store was deleted.
package final class ReopenableKeychain: Sendable {
    private struct State: Sendable {
        var keychain: EmbeddedKeychain
        /// The store was deleted; nobody who reads would notice at once.
        var isDeleted = false
        var isClosed = false
    }

    private let state: ForkSafeMutex<State>

    /// Opens the store, or makes it.
    package init(at location: StoreLocation) throws(StatusError) {
        state = ForkSafeMutex(State(keychain: try EmbeddedKeychain(at: location)))
    }

    /// What is open, even if its store was deleted.
    package var current: EmbeddedKeychain { state.withLock { $0.keychain } }

    /// Runs a part of the program on the keychain: a second time if the store turns out to be deleted.
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

    /// Has the next call open what is there then.
    package func forget() { state.withLock { $0.isDeleted = true } }

    /// Has nothing opened any more.
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
            // Another thread may have been quicker.
            if state.keychain === old { try Self.reopen(&state, or: error) }
            return state.keychain
        }
    }

    private static func reopen(_ state: inout State, or error: StatusError) throws(StatusError) {
        let location = state.keychain.location
        // Deleting a keychain leaves the directory. Without it the test is over, and must leave nothing behind.
        guard !state.isClosed, unsafe access(location.directory, F_OK) == 0 else { throw error }
        state.keychain = try EmbeddedKeychain(at: location)
        state.isDeleted = false
    }
}
