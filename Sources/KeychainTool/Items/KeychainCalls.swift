// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel
import KeychainObjects
import KeychainUserPresence
import Synchronization

/// Whether a request has changed a keychain since ``KeychainCalls/takeChange()`` was called.
private let hasChanged = Atomic(false)

/// Executes the keychain calls of commands; converts errors to failures.
enum KeychainCalls {
    // MARK: Requests

    /// Executes a request; may authenticate the user.
    ///
    /// Unlike ``search(_:_:passing:step:)``, it takes no ``CertificateTest``, because the type metadata of a test slows
    /// down the start of the command.
    ///
    /// - Returns: The items found.
    @discardableResult
    static func perform(
        _ request: Request,
        _ state: ContextState,
        step: String
    ) throws(Failure) -> [FoundItem] {
        var authentication = ItemAuthentication(state)
        if request.isChange { hasChanged.store(true, ordering: .relaxed) }
        return try recording(step) { () throws(StatusError) in
            guard case .items(let items) = try authentication.perform(request) else { return [] }
            return items
        }
    }

    /// Searches keys, certificates or identities; may authenticate the user.
    ///
    /// - Returns: The items found, without the certificates and identities that do not pass `test`.
    static func search(
        _ request: Request,
        _ state: ContextState,
        passing test: CertificateTest,
        step: String
    ) throws(Failure) -> [FoundItem] {
        guard var search = CertificateSearch(request, test) else {
            return try perform(request, state, step: step)
        }
        var authentication = ItemAuthentication(state)
        return try recording(step) { () throws(StatusError) in
            try search.items { request throws(StatusError) in try authentication.perform(request) }
        }
    }

    /// Calls `body`; records its error in the failure log, and throws it as a failure that names `step`.
    static func recording<Result>(
        _ step: String,
        _ body: () throws(StatusError) -> Result
    ) throws(Failure) -> Result {
        do throws(StatusError) {
            return try body()
        } catch {
            FailureLog.record(error)
            throw .status(error.status, step: step, reason: error)
        }
    }

    /// Makes changes, all or nothing, non-interactively.
    ///
    /// If an item to add already exists, `skip` receives the index of the change, possibly more than once. Without
    /// `skip`, the existing item is an error.
    static func perform(
        together changes: [Request],
        step: String,
        skip: (@Sendable (Int) -> Void)? = nil
    ) throws(Failure) {
        guard !changes.isEmpty else { return }
        hasChanged.store(true, ordering: .relaxed)
        var authentication = ItemAuthentication(ContextState())
        try recording(step) { () throws(StatusError) in
            try authentication.forChanges(changes).perform(together: changes, skip: skip) { _ in true }
        }
    }

    /// Returns whether a request has changed a keychain since the last call.
    static func takeChange() -> Bool { hasChanged.exchange(false, ordering: .relaxed) }

    /// Deletes an item; for an identity, its certificate, and its key unless another certificate needs the key.
    static func delete(_ reference: PersistentReference) throws(Failure) {
        let filter = ItemFilter(itemClass: reference.itemClass, reference: reference)
        let request: Request =
            reference.itemClass == .identity
            ? .deleteIdentities(DeleteIdentitiesRequest(filter: IdentityFilter(dividing: filter)))
            : .delete(DeleteRequest(filter: filter))
        try perform(request, ContextState(), step: "SecKeychainItemDelete")
    }

    // MARK: The store

    /// The store's directory, printed where macOS prints the path of a keychain file; empty if it is unknown.
    ///
    /// With the daemon, this is the directory of the daemon's socket.
    static func directory() -> String {
        (try? SystemKeychain.storeDirectory()) ?? ""
    }

    /// The directory as printed in messages, without line breaks and control characters.
    static func shownDirectory() -> String { BlobText.line(directory()) }

    /// The explanation of an error, after the store's directory if the error concerns the store.
    static func described(_ error: StatusError) -> String {
        let (directory, sentence) = (shownDirectory(), error.explanation.sentence)
        return directory.isEmpty || error.reason?.concernsStore != true
            ? sentence : "\(directory): \(sentence)"
    }

    /// Calls `body`; throws its error as a failure whose message starts with `step`.
    ///
    /// The step is the name of a macOS function or of the command.
    static func failing<Result>(
        _ step: String,
        body: () throws(StatusError) -> Result
    ) throws(Failure) -> Result {
        do throws(StatusError) {
            return try body()
        } catch {
            throw .store(error.status, step: step, detail: error.explanation.sentence)
        }
    }
}
