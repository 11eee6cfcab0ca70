// SPDX-License-Identifier: Apache-2.0

import KeychainItems
import Synchronization

/// The authentication that the reads of one valet share.
final class SharedContext: Sendable {
    private let session = Mutex(AuthenticationSession())
    /// Held while something is read: of two threads that come at once, one has the person asked and the other waits.
    private let reading = Mutex(())

    func read<Result: Sendable>(
        _ prompt: String,
        _ body: (AuthenticationSession) throws(KeychainFailure) -> Result
    ) throws(KeychainFailure) -> Result {
        try reading.withLock { _ throws(KeychainFailure) in
            let session = session.withLock { $0 }
            // An empty text is no reason, which Apple's framework does not take for one.
            if !prompt.isEmpty { session.prompt = prompt }
            return try body(session)
        }
    }

    /// Begins anew, and ends what is being asked; it waits for nobody.
    func invalidate() {
        let old = session.withLock { session in
            let old = session
            session = AuthenticationSession()
            return old
        }
        old.invalidate()
    }
}
