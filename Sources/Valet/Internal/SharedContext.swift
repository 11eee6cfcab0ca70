// SPDX-License-Identifier: Apache-2.0

import KeychainItems
import Synchronization

/// The authentication that the reads of a valet share.
final class SharedContext: Sendable {
    private let session = Mutex(AuthenticationSession())
    /// A lock held during each read: of two concurrent reads, one shows the prompt and the other waits.
    private let reading = Mutex(())

    func read<Result: Sendable>(
        _ prompt: String,
        _ body: (AuthenticationSession) throws(KeychainFailure) -> Result
    ) throws(KeychainFailure) -> Result {
        try reading.withLock { _ throws(KeychainFailure) in
            let session = session.withLock { $0 }
            // An empty prompt is not set, because Apple's framework rejects an empty reason.
            if !prompt.isEmpty { session.prompt = prompt }
            return try body(session)
        }
    }

    /// Discards the authentication and cancels an open prompt without waiting.
    func invalidate() {
        let old = session.withLock { session in
            let old = session
            session = AuthenticationSession()
            return old
        }
        old.invalidate()
    }
}
