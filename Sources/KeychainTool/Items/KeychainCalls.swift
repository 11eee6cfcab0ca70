// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainModel
import KeychainServices
import KeychainUserPresence

/// The calls of commands, with errors as failures.
enum KeychainCalls {
    // MARK: Requests

    /// Carries out a request; the user is asked where an access control demands it.
    ///
    /// - Returns: The items that were found.
    @discardableResult
    static func perform(
        _ request: Request,
        _ state: ContextState,
        step: String
    ) throws(Failure) -> [FoundItem] {
        var authentication = ItemAuthentication(state)
        return try recording(step) { () throws(StatusError) in
            guard case .items(let items) = try authentication.perform(request) else { return [] }
            return items
        }
    }

    /// Calls `body`; records its error as the API does, and turns it into a failure of the given macOS function.
    static func recording<Result>(
        _ step: String,
        _ body: () throws(StatusError) -> Result
    ) throws(Failure) -> Result {
        do throws(StatusError) {
            return try body()
        } catch {
            FailureLog.record(error)
            throw .status(error.status.rawValue, step: step, reason: error)
        }
    }

    // MARK: Dictionaries

    static func find(_ query: ItemDictionary) throws(Failure) -> AnyObject? {
        var result: AnyObject?
        try check(unsafe SecItemCopyMatching(query.object, &result), "SecKeychainSearchCopyNext")
        return result
    }

    static func delete(_ reference: NSObject) throws(Failure) {
        var query = ItemDictionary()
        query[kSecValuePersistentRef] = reference
        try check(SecItemDelete(query.object), "SecKeychainItemDelete")
    }

    /// Throws if a call returned an error status; the failure keeps the recorded reason.
    static func check(_ status: Int32, _ step: String) throws(Failure) {
        guard status != errSecSuccess else { return }
        let reason = FailureLog.last
        throw .status(status, step: step, reason: reason?.status.rawValue == status ? reason : nil)
    }

    // MARK: The store

    /// The store's directory, printed where macOS prints the path of a keychain file.
    static func directory() -> String {
        (try? SystemKeychain.storeDirectory()) ?? ""
    }

    /// The directory as printed in messages, without line breaks and control characters.
    static func shownDirectory() -> String { BlobText.line(directory()) }

    /// The explanation of an error, after the directory that it concerns, if it does.
    static func described(_ error: StatusError) -> String {
        let (directory, sentence) = (shownDirectory(), error.explanation.sentence)
        return directory.isEmpty || error.reason?.concernsStore != true
            ? sentence : "\(directory): \(sentence)"
    }

    /// Runs a call of the client; turns its error into a failure of the given macOS function.
    static func failing<Result>(
        _ step: String,
        body: () throws(StatusError) -> Result
    ) throws(Failure) -> Result {
        do throws(StatusError) {
            return try body()
        } catch {
            throw .store(error.status.rawValue, step: step, detail: error.explanation.sentence)
        }
    }
}
