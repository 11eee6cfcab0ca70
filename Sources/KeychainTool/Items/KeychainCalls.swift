// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainControl
import KeychainServices

/// The calls of the API, with statuses as failures.
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

    static func delete(_ reference: NSObject) throws(Failure) {
        try check(SecItemDelete(query(of: reference)), "SecKeychainItemDelete")
    }

    private static func query(of reference: NSObject, _ context: LAContext? = nil) -> NSDictionary {
        var query = ItemDictionary()
        query[kSecValuePersistentRef] = reference
        query[kSecUseAuthenticationContext] = context
        return query.object
    }

    /// Fails with what a call answered; the reason goes with the status from here to the sentence.
    static func check(_ status: OSStatus, _ step: String) throws(Failure) {
        guard status != errSecSuccess else { return }
        let reason = KeychainControl.lastFailure
        throw .status(status, step: step, reason: reason?.status == status ? reason : nil)
    }

    /// The store's directory, which stands where macOS has the path of a keychain file.
    static func directory() -> String {
        (try? KeychainControl.directory()) ?? ""
    }

    /// The directory in messages: nothing of it ends a line or commands a terminal.
    static func shownDirectory() -> String { BlobText.line(directory()) }

    /// macOS's names of the only keychain there is.
    private static let names = ["login", "login.keychain", "login.keychain-db"]

    /// The directory of a store to be made; `nil` for that of the environment, which macOS's names mean.
    ///
    /// A file's name, as macOS takes it, would become a directory wherever the command happens to run.
    static func directory(ofNew operand: String?) throws(Failure) -> String? {
        guard let operand, !names.contains(operand) else { return nil }
        guard operand.hasPrefix("/") else {
            throw .store(
                errSecNoSuchKeychain,
                step: "SecKeychainCreate",
                detail: "a store is a directory here, of which the absolute path is needed"
            )
        }
        return operand
    }

    /// Accepts an operand that names the only keychain there is: macOS's names of it, or the store's directory.
    ///
    /// Where paths are accepted, macOS's name may be the last part of any. Where a mistake cannot be taken back they
    /// must not be: the path may be meant for another keychain.
    static func check(operands: [String], acceptsPaths: Bool = true) throws(Failure) {
        for operand in operands {
            let name = acceptsPaths ? operand.split(separator: "/").last.map(String.init) ?? "" : operand
            guard names.contains(name) || operand == directory() else {
                throw .status(errSecNoSuchKeychain, step: "SecKeychainOpen")
            }
        }
    }
}
