// SPDX-License-Identifier: Apache-2.0

import Glibc
package import KeychainEngine
package import KeychainModel
import Synchronization

/// A keychain that is opened anew, at the same place, once its store was deleted.
package final class ReopenableKeychain: Sendable {
    private struct State: Sendable {
        var keychain: Keychain
        /// The store was deleted; nobody who reads would notice at once.
        var isDeleted = false
        var isClosed = false
    }

    private let state: Mutex<State>

    /// Opens the store, or makes it.
    package init(at location: StoreLocation) throws(KeychainError) {
        state = Mutex(State(keychain: try Keychain(at: location)))
    }

    /// What is open, even if its store was deleted.
    package var current: Keychain { state.withLock { $0.keychain } }

    /// Runs a part of the program on the keychain: a second time if the store turns out to be deleted.
    package func use<Result>(
        _ body: (Keychain) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        let keychain = try opened()
        do throws(KeychainError) {
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

    private func opened() throws(KeychainError) -> Keychain {
        try state.withLock { state throws(KeychainError) in
            if state.isDeleted {
                try Self.reopen(&state, or: KeychainError(.notAvailable, .databaseReplaced))
            }
            return state.keychain
        }
    }

    private func opened(
        inPlaceOf old: Keychain,
        or error: KeychainError
    ) throws(KeychainError) -> Keychain {
        try state.withLock { state throws(KeychainError) in
            // Another thread may have been quicker.
            if state.keychain === old { try Self.reopen(&state, or: error) }
            return state.keychain
        }
    }

    private static func reopen(_ state: inout State, or error: KeychainError) throws(KeychainError) {
        let location = state.keychain.location
        // Deleting a keychain leaves the directory. Without it the test is over, and must leave nothing behind.
        guard !state.isClosed, unsafe access(location.directory, F_OK) == 0 else { throw error }
        state.keychain = try Keychain(at: location)
        state.isDeleted = false
    }
}
