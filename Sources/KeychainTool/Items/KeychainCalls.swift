// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainControl
import KeychainModel
import KeychainServices

/// The functions of the API as throwing functions.
enum KeychainCalls {
    static func add(_ attributes: ItemDictionary, step: String) throws(Failure) {
        try check(SecItemAdd(attributes.object, nil), step)
    }

    static func find(_ query: ItemDictionary) throws(Failure) -> AnyObject? {
        var result: AnyObject?
        try check(unsafe SecItemCopyMatching(query.object, &result), "SecKeychainSearchCopyNext")
        return result
    }

    static func update(
        _ reference: NSObject,
        with attributes: ItemDictionary,
        _ context: LAContext? = nil
    ) throws(Failure) {
        let query = query(of: reference, context)
        try check(SecItemUpdate(query, attributes.object), "SecKeychainItemModifyContent")
    }

    /// Deletes the first matching item, compared without decrypting it.
    static func deleteUnopened(_ query: ItemDictionary) throws(Failure) {
        try check(SecItemDeleteFirst(query.object), "SecKeychainItemDelete")
    }

    static func delete(_ reference: NSObject) throws(Failure) {
        try check(SecItemDelete(query(of: reference)), "SecKeychainItemDelete")
    }

    private static func query(of reference: NSObject, _ context: LAContext? = nil) -> NSDictionary {
        var query = ItemDictionary()
        query[kSecValuePersistentRef] = reference
        query[kSecUseAuthenticationContext] = context
        return query.object
    }

    /// Throws if a call returned an error status; the failure keeps the recorded reason.
    static func check(_ status: OSStatus, _ step: String) throws(Failure) {
        guard status != errSecSuccess else { return }
        let reason = KeychainControl.lastFailure
        throw .status(status, step: step, reason: reason?.status == status ? reason : nil)
    }

    /// The store's directory, printed where macOS prints the path of a keychain file.
    static func directory() -> String {
        (try? KeychainControl.directory()) ?? ""
    }

    /// The directory as printed in messages, without line breaks and control characters.
    static func shownDirectory() -> String { BlobText.line(directory()) }

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
