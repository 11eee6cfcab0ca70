// SPDX-License-Identifier: Apache-2.0

package import KeychainModel
package import KeychainStore
import Synchronization

/// A keychain and the caller that uses it.
package struct KeychainConnection: Sendable {
    private enum Source: Sendable {
        case opened(EmbeddedKeychain)
        case reopenable(ReopenableKeychain)
    }

    private let source: Source
    package let caller: Caller
    /// Called before each request in tests; an error it throws becomes the result.
    private let interceptor: (@Sendable (Request) throws(StatusError) -> Void)?

    package init(keychain: EmbeddedKeychain, caller: Caller) {
        source = .opened(keychain)
        self.caller = caller
        interceptor = nil
    }

    /// Creates a connection to a test's keychain, which is recreated after a deletion.
    package init(
        reopening keychain: ReopenableKeychain,
        caller: Caller,
        interceptor: @escaping @Sendable (Request) throws(StatusError) -> Void
    ) {
        source = .reopenable(keychain)
        self.caller = caller
        self.interceptor = interceptor
    }

    package var keychain: EmbeddedKeychain {
        switch source {
        case .opened(let keychain): keychain
        case .reopenable(let keychain): keychain.current
        }
    }

    /// Calls `body` with the process's keychain.
    func withKeychain<Result>(
        _ body: (EmbeddedKeychain) throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        switch source {
        case .opened(let keychain): try body(keychain)
        case .reopenable(let keychain): try keychain.use(body)
        }
    }

    func perform(
        _ request: Request,
        with authentication: Authentication
    ) throws(StatusError) -> Response {
        if let interceptor { try interceptor(request) }
        let credential = authentication.credential
        return try withKeychain { keychain throws(StatusError) in
            try keychain.perform(request, for: caller, with: credential)
        }
    }

    func perform(
        together changes: [Request],
        with authentication: Authentication,
        skip: (@Sendable (Int) -> Void)?,
        progress: @Sendable (Int) -> Bool
    ) throws(StatusError) {
        // A fault that a test injects into one change fails that change, and the earlier changes are rolled back.
        let fault = Mutex<StatusError?>(nil)
        if let first = changes.first { try interceptor?(first) }
        let credential = authentication.credential
        do throws(StatusError) {
            try withKeychain { keychain throws(StatusError) in
                try keychain.perform(together: changes, for: caller, with: credential, skip: skip) {
                    completed in
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
            }
        } catch {
            throw fault.withLock { $0 } ?? error
        }
    }

    /// Makes the next call open a new store, after this process deleted the current one.
    func forget() {
        if case .reopenable(let keychain) = source { keychain.forget() }
    }
}
