// SPDX-License-Identifier: Apache-2.0

package import KeychainModel
package import KeychainStore
import Synchronization

/// A keychain, and the caller whose access groups its requests may use.
///
/// This is a class, so that passing it on with every request copies only a reference.
package final class KeychainConnection: Sendable {
    private enum Source: Sendable {
        case opened(EmbeddedKeychain)
        case reopenable(ReopenableKeychain)
        case daemon(DaemonKeychain)
    }

    private let source: Source
    package let caller: Caller
    /// A test's closure, called before each request; if the closure throws an error, the request fails with this error.
    private let interceptor: (@Sendable (Request) throws(StatusError) -> Void)?

    package init(keychain: EmbeddedKeychain, caller: Caller) {
        source = .opened(keychain)
        self.caller = caller
        interceptor = nil
    }

    /// Creates a connection to a test's keychain, whose store is recreated after a deletion.
    package init(
        reopening keychain: ReopenableKeychain,
        caller: Caller,
        interceptor: @escaping @Sendable (Request) throws(StatusError) -> Void
    ) {
        source = .reopenable(keychain)
        self.caller = caller
        self.interceptor = interceptor
    }

    /// Creates a connection to the daemon, for the caller as the daemon has identified it.
    package init(
        daemon: DaemonKeychain,
        caller: Caller,
        interceptor: (@Sendable (Request) throws(StatusError) -> Void)? = nil
    ) {
        source = .daemon(daemon)
        self.caller = caller
        self.interceptor = interceptor
    }

    /// The store in this process; `nil` if the daemon serves the keychain.
    package var embedded: EmbeddedKeychain? {
        switch source {
        case .opened(let keychain): keychain
        case .reopenable(let keychain): keychain.current
        case .daemon: nil
        }
    }

    /// The daemon that serves the keychain; `nil` for a store in this process.
    package var daemon: DaemonKeychain? {
        if case .daemon(let daemon) = source { daemon } else { nil }
    }

    private var backend: any KeychainBackend {
        switch source {
        case .opened(let keychain): keychain
        case .reopenable(let keychain): keychain.current
        case .daemon(let daemon): daemon
        }
    }

    /// Identifies the opened store or the connection to the daemon.
    var identifier: ObjectIdentifier { ObjectIdentifier(backend) }

    /// Retains the connection forever, so that a forked child does not close the files that its parent still uses.
    func leak() { _ = unsafe Unmanaged<AnyObject>.passRetained(backend) }

    func withKeychain<Result>(
        _ body: (any KeychainBackend) throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        switch source {
        case .opened(let keychain): try body(keychain)
        case .reopenable(let keychain): try keychain.use(body)
        case .daemon(let daemon): try body(daemon)
        }
    }

    /// Calls `body` with the store in this process.
    ///
    /// Calls of the concrete type are faster than calls through ``KeychainBackend``.
    ///
    /// - Throws: `unimplemented` with `notThroughDaemon` if the store is in a daemon.
    private func withEmbedded<Result>(
        _ body: (EmbeddedKeychain) throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        switch source {
        case .opened(let keychain): try body(keychain)
        case .reopenable(let keychain): try keychain.use(body)
        case .daemon: throw StatusError(.unimplemented, .notThroughDaemon)
        }
    }

    func perform(
        _ request: Request,
        with authentication: Authentication
    ) throws(StatusError) -> Response {
        if let interceptor { try interceptor(request) }
        if case .daemon(let daemon) = source {
            return try daemon.perform(request, for: caller, with: authentication)
        }
        let credential = authentication.credential
        return try withEmbedded { keychain throws(StatusError) in
            try keychain.perform(request, for: caller, with: credential)
        }
    }

    func perform(
        together changes: [Request],
        with authentication: Authentication,
        skip: (@Sendable (Int) -> Void)?,
        progress: @Sendable (Int) -> Bool
    ) throws(StatusError) {
        // An error that a test injects into one change fails that change, and rolls back the earlier changes.
        let fault = Mutex<StatusError?>(nil)
        if let first = changes.first { try interceptor?(first) }
        do throws(StatusError) {
            @Sendable func undone(_ completed: Int) { _ = progress(completed) }
            try performInBackend(changes, with: authentication, skip, undone) { completed in
                guard progress(completed) else { return false }
                guard let interceptor, completed < changes.count else { return true }
                do throws(StatusError) {
                    try interceptor(changes[completed])
                    return true
                } catch {
                    fault.withLock { $0 = error }
                    return false
                }
            }
        } catch {
            throw fault.withLock { $0 } ?? error
        }
    }

    private func performInBackend(
        _ changes: [Request],
        with authentication: Authentication,
        _ skip: (@Sendable (Int) -> Void)?,
        _ undone: @Sendable (Int) -> Void,
        progress: @Sendable (Int) -> Bool
    ) throws(StatusError) {
        if case .daemon(let daemon) = source {
            return try daemon.perform(
                together: changes,
                with: authentication,
                skip: skip,
                progress: progress,
                undone: undone
            )
        }
        let credential = authentication.credential
        try withEmbedded { keychain throws(StatusError) in
            try keychain.perform(
                together: changes,
                for: caller,
                with: credential,
                skip: skip,
                progress: progress
            )
        }
    }

    /// Makes the next call of a test open a new store, after this process has deleted the current one.
    func discardStore() {
        if case .reopenable(let keychain) = source { keychain.discardStore() }
    }
}
