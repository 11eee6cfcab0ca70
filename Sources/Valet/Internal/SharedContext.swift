// SPDX-License-Identifier: Apache-2.0

import KeychainServices
import Synchronization

/// The authentication that the reads of one valet share.
final class SharedContext: Sendable {
    /// A context may be used by several threads, which neither platform lets its type say.
    private struct Content: Sendable {
        @safe nonisolated(unsafe) let context = LAContext()
    }

    private let content = Mutex(Content())
    /// Held while something is read: of two threads that come at once, one has the person asked and the other waits.
    private let reading = Mutex(())

    func read<Result: Sendable>(
        _ prompt: String,
        _ body: (LAContext) throws(KeychainFailure) -> Result
    ) throws(KeychainFailure) -> Result {
        try reading.withLock { _ throws(KeychainFailure) in
            let content = content.withLock { $0 }
            // An empty text is no reason, which Apple's framework does not take for one.
            if !prompt.isEmpty { content.context.localizedReason = prompt }
            return try body(content.context)
        }
    }

    /// Begins anew, and ends what is being asked; it waits for nobody.
    func invalidate() {
        let old = content.withLock { content in
            let old = content
            content = Content()
            return old
        }
        old.context.invalidate()
    }
}
